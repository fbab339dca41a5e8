// Threads for reads of jobs: so few for each that other work finds one even if all hang.
import { jobReadThreads, readsAtOnce } from '../../core/model/read-threads.js';
import { assert, block } from '../kit.js';

const given = process.env.JOB_READ_THREADS;

block(
  'threads for reads of jobs',
  (check) => {
    check('are shared by all threads that may run jobs or hang', () => {
      process.env.JOB_READ_THREADS = '72';
      assert.equal([jobReadThreads(), readsAtOnce(9), readsAtOnce(64), readsAtOnce(73)], [72, 8, 1, 0]);
    });
    check('are none where the launcher added none', () => {
      for (const said of ['', 'many', '-3']) {
        process.env.JOB_READ_THREADS = said;
        assert.equal([jobReadThreads(), readsAtOnce(9)], [0, 0]);
      }
    });
  },
  {
    after: () => {
      if (given === undefined) delete process.env.JOB_READ_THREADS;
      else process.env.JOB_READ_THREADS = given;
    },
  },
);
