// Run by `npm run prune`: removes the network engine's binaries for other platforms, which are most of the installed size.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BINARY_NAME, binaryFolders } from '../server/uws-binary.js';

let freed = 0;
for (const folder of binaryFolders()) {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.node') && file !== BINARY_NAME)) {
    const path = join(folder, name);
    freed += statSync(path).size;
    rmSync(path);
  }
}
console.log(`freed ${Math.round(freed / 2 ** 20)} MB`);
