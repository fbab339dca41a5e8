// Memory for pages: what a large one holds while it is read and decoded, and that no job waits while it holds.
import { DECODE_ROOM_BYTES } from '../../core/model/decode-budget.js';
import type { AppError } from '../../core/model/errors.js';
import { CONTROL_BYTES, type PageEntry } from '../../core/model/jobs.js';
import { METHOD } from '../../core/model/page-table.js';
import { enterRoom } from '../../workers/decode-budget.js';
import { readBytesOf } from '../../workers/decode-size.js';
import { boundHeaps, GROWTH_ROOM_BYTES, grownBytes } from '../../workers/heaps.js';
import type { PageSource } from '../../workers/page-source.js';
import { readInRoom, withModuleRoom } from '../../workers/read-in-room.js';
import { assert, block, thrownBy } from '../kit.js';

const MB = 1024 * 1024;

declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => { grow(pages: number): number };
};

const page = (method: number, size: number, packedSize = size): PageEntry =>
  ({ method, size, packedSize }) as unknown as PageEntry;

/** A budget of which so much is free, and what was asked of it. */
const budget = (freeBytes: number) => {
  const asked: string[] = [];
  let held = 0;
  return {
    asked,
    keepRoom: (bytes: number) => {
      asked.push(`wait for ${bytes / MB} while holding ${held / MB}`);
      held = bytes;
    },
    growRoom: (bytes: number) => {
      const isFree = held + bytes <= freeBytes;
      asked.push(`${isFree ? 'take' : 'miss'} ${bytes / MB}`);
      return isFree;
    },
    leaveRoom: () => {
      held = 0;
    },
    isGrowing: () => false,
  };
};

const reading = (bytes: number, decodeBytes: number) => {
  const source: PageSource = { kind: 'image', bytes: new Uint8Array() };
  const counted = { bytes, reads: 0, read: async () => source, decodeBytesOf: async () => decodeBytes };
  counted.read = async () => {
    counted.reads += 1;
    return source;
  };
  return counted;
};

block('memory for pages', (check) => {
  check('pages of ordinary size count for nothing, large ones with their packed bytes', () => {
    const rows: readonly (readonly [page: PageEntry, bytes: number])[] = [
      [page(METHOD.deflated, 6 * MB), 0],
      [page(METHOD.stored, 12 * MB), 0],
      [page(METHOD.pdf, 60 * MB), 0],
      [page(METHOD.deflated, 60 * MB, 2 * MB), 62 * MB],
      [page(METHOD.stored, 60 * MB), 60 * MB],
      [page(METHOD.rar, 60 * MB, 50 * MB), 60 * MB],
    ];
    for (const [one, bytes] of rows) assert.is(readBytesOf(one), bytes, JSON.stringify(one));
  });
  check('an ordinary page is read once, whatever is free', async () => {
    const [room, one] = [budget(0), reading(0, 90 * MB)];
    await readInRoom(one, room);
    assert.equal([one.reads, room.asked], [1, ['wait for 90 while holding 0']]);
  });
  check('a large page that fits is read once', async () => {
    const [room, one] = [budget(200 * MB), reading(60 * MB, 90 * MB)];
    await readInRoom(one, room);
    assert.equal([one.reads, room.asked], [1, ['wait for 60 while holding 0', 'take 90']]);
  });
  check('one that does not fit holds nothing while it waits, and is read again', async () => {
    const [room, one] = [budget(100 * MB), reading(60 * MB, 90 * MB)];
    await readInRoom(one, room);
    assert.equal(
      [one.reads, room.asked],
      [2, ['wait for 60 while holding 0', 'miss 90', 'wait for 150 while holding 0']],
    );
  });
  for (const [fact, megabytes, canTake, works] of [
    ['waits for its turn and is done again when another job is growing', 100, false, 2],
    ['takes the room at once when it is free', 100, true, 1],
    ['is not done again when it asks for more than any job may have', 200, true, 1],
  ] as const)
    check(`work of a compiled reader ${fact}`, async () => {
      const room = budget(DECODE_ROOM_BYTES);
      let held = grownBytes(); // by other tests
      const keepRoom = (bytes: number): void => {
        room.keepRoom(bytes);
        held += bytes;
      };
      const take = (bytes: number): boolean => {
        if (canTake) held += bytes;
        return canTake;
      };
      boundHeaps({ held: () => held, take });
      let times = 0;
      const work = async (): Promise<number> => {
        times += 1;
        const memory = new WebAssembly.Memory({ initial: 16 });
        return memory.grow(megabytes * 16);
      };
      const grown = await withModuleRoom(work, { ...room, keepRoom }).catch(
        (thrown: unknown) => thrown instanceof RangeError,
      );
      assert.equal([grown, times], [megabytes === 200 ? true : 16, works]);
      assert.equal(room.asked, works === 2 ? [`wait for ${GROWTH_ROOM_BYTES / MB} while holding 0`] : []);
      boundHeaps({ held: () => 0, take: () => false });
    });
  check('a page that takes more than the budget with what decoding it takes is refused, not let through', async () => {
    const [room, one] = [budget(DECODE_ROOM_BYTES), reading(60 * MB, DECODE_ROOM_BYTES)];
    await readInRoom(one, room);
    assert.is(room.asked.at(-1), `wait for ${DECODE_ROOM_BYTES / MB + 60} while holding 0`);
    const shared = new Int32Array(CONTROL_BYTES / 4);
    const refusal = await thrownBy(() =>
      enterRoom({ shared, bytes: DECODE_ROOM_BYTES + 1, hasCaller: false, onWait: () => undefined }),
    );
    assert.is((refusal as AppError).kind, 'LimitExceeded');
  });
});
