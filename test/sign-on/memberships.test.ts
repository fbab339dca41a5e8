// Memberships of somebody who signs on with two providers: neither ends what the other one says.
import { SERVER } from '../../core/access/caller.js';
import { userById } from '../../core/access/users.js';
import { followGroups } from '../../core/sign-on/memberships.js';
import { SYSTEM } from '../../core/store/feed.js';
import { openPeople, type People } from '../access/people.js';
import { assert, block } from '../kit.js';

let people: People;

block(
  'groups of two providers',
  (check) => {
    check(
      'whom both put into a group stays until neither does, and whom an administrator put there stays anyhow',
      async () => {
        const { temp, ask, admin, join } = people;
        const { app } = temp;
        const made: string[] = [];
        for (const name of ['Family', 'Teens', 'Staff']) {
          const { json } = await ask(admin.token, 'POST', '/access-groups', { body: { name } });
          made.push(json.id);
          const body = { oidcGroupName: name.toLowerCase() };
          await ask(admin.token, 'POST', `/access-groups/${json.id}/oidc-mappings`, { body });
        }
        const { id } = await join('may');
        await ask(admin.token, 'POST', `/access-groups/${made[2]}/members`, { body: { userIds: [id] } });
        const user = await userById(app.db, id);
        if (user === undefined) throw new Error('nobody is there');
        const told = async (provider: string, ...groups: readonly string[]): Promise<readonly string[]> => {
          const said = { provider, issuer: `https://${provider}.example`, person: { groups } };
          await app.db.write(SYSTEM, 'interactive', (tx) =>
            followGroups(tx, user, said, { at: app.clock.now(), by: SERVER }),
          );
          const { json } = await ask(admin.token, 'GET', `/users/${id}/access-groups`);
          return json.map(({ name }: { name: string }) => name);
        };
        assert.equal(await told('home', 'family', 'staff'), ['Family', 'Staff']);
        assert.equal(await told('work', 'family', 'teens'), ['Family', 'Staff', 'Teens']);
        assert.equal(await told('home'), ['Family', 'Staff', 'Teens'], 'the other one still says so');
        assert.equal(await told('work', 'teens'), ['Staff', 'Teens']);
        assert.equal(await told('home', 'teens'), ['Staff', 'Teens']);
        assert.equal(await told('work'), ['Staff', 'Teens'], 'although this one had put them there');
        assert.equal(await told('home'), ['Staff']);
        assert.equal(temp.faults, []);
      },
    );
  },
  {
    before: async () => {
      people = await openPeople();
    },
    after: () => people.temp.close(),
  },
);
