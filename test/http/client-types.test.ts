// The types that shipped clients are compiled for, of accounts, keys, sharing tags and access groups: what our schemas describe is one of
// them, or this file does not compile. Views are typed by the schemas, so they are as well.
import Type, { type Static, type TSchema } from 'typebox';
import { ROUTES } from '../../http/api/rows/index.js';
import { ApiKey, ApiKeyPage, MadeApiKey } from '../../http/api/schemas/api-keys.js';
import { Registered, VerifiedEmail } from '../../http/api/schemas/registration.js';
import {
  AccessGroup,
  AccessGroupDetail,
  AccessGroupGrant,
  AccessGroupMapping,
  AccessGroupMember,
  AccessGroupSummary,
  EffectiveGrants,
  SharingTag,
  SharingTagGrants,
  SharingTagPage,
  SharingTagSummary,
} from '../../http/api/schemas/sharing.js';
import { SignOnBegun, SignOnProviders } from '../../http/api/schemas/sign-on.js';
import { Login, Me, Message } from '../../http/api/schemas/user.js';
import { SharingTagGrant, User, UserDetail, UserPage } from '../../http/api/schemas/users.js';
import type { Route } from '../../http/surface/route.js';
import { assert, block } from '../kit.js';
import { ANSWERS } from './answer-shapes.js';

interface Links {
  self: string;
  first: string;
  last: string;
  next?: string | null;
  prev?: string | null;
}

interface Page<T> {
  data: T[];
  links: Links;
  page: number;
  pageSize: number;
  total: number;
  totalPages: number;
}

type Mode = 'allow' | 'deny';
type Role = 'reader' | 'maintainer' | 'admin';

interface KeyDto {
  createdAt: string;
  expiresAt?: string | null;
  id: string;
  isActive: boolean;
  keyPrefix: string;
  lastUsedAt?: string | null;
  name: string;
  permissions: unknown;
  updatedAt: string;
  userId: string;
}

interface UserInfo {
  email: string;
  emailVerified: boolean;
  id: string;
  permissions: string[];
  role: string;
  username: string;
}

interface TokenDto {
  accessToken: string;
  expiresIn: number;
  tokenType: string;
}

interface LoginDto extends TokenDto {
  refreshToken?: string | null;
  user: UserInfo;
}

type RegisterDto = { [K in keyof TokenDto]?: TokenDto[K] | null } & { message?: string | null; user: UserInfo };

interface UserDto {
  createdAt: string;
  email: string;
  id: string;
  isActive: boolean;
  lastLoginAt?: string | null;
  permissions: string[];
  role: Role;
  updatedAt: string;
  username: string;
}

interface UserGrantDto {
  accessMode: Mode;
  createdAt: string;
  id: string;
  sharingTagId: string;
  sharingTagName: string;
}

type UserDetailDto = UserDto & { sharingTags: UserGrantDto[] };

interface UserGrantsDto {
  grants: UserGrantDto[];
  userId: string;
}

interface NamedDto {
  description?: string | null;
  id: string;
  name: string;
}

interface TagDto extends NamedDto {
  createdAt: string;
  seriesCount: number;
  updatedAt: string;
  userCount: number;
}

interface GroupDto extends NamedDto {
  createdAt: string;
  grantCount: number;
  memberCount: number;
  updatedAt: string;
}

interface GroupGrantDto {
  accessMode: Mode;
  createdAt: string;
  sharingTagId: string;
  sharingTagName: string;
}

interface MemberDto {
  createdAt: string;
  source: string;
  userId: string;
  username: string;
}

interface MappingDto {
  createdAt: string;
  id: string;
  oidcGroupName: string;
}

interface ProvidersDto {
  enabled: boolean;
  providers: { displayName: string; loginUrl: string; name: string }[];
}

interface BegunDto {
  redirectUrl: string;
}

interface GroupDetailDto extends NamedDto {
  createdAt: string;
  grants: GroupGrantDto[];
  members: MemberDto[];
  oidcMappings: MappingDto[];
  updatedAt: string;
}

interface EffectiveGrantsDto {
  grants: {
    accessMode: Mode;
    sharingTagId: string;
    sharingTagName: string;
    sources: { groupId?: string | null; groupName?: string | null; kind: string }[];
  }[];
  userId: string;
}

/** Whether what a schema describes is what clients expect. */
type Fit<Expected, S extends TSchema> = Static<S> extends Expected ? true : false;

/** Each answer that has a body. The refresh token is there unless it was asked for as a cookie. */
interface Answers {
  'POST /auth/login': Fit<LoginDto, typeof Login>;
  'POST /auth/logout': Fit<unknown, typeof Message>;
  'POST /auth/register': Fit<RegisterDto, typeof Registered>;
  'POST /auth/resend-verification': Fit<{ message: string }, typeof Message>;
  'POST /auth/verify-email': Fit<TokenDto & { message: string; user: UserInfo }, typeof VerifiedEmail>;
  'POST /auth/refresh': Fit<TokenDto & { refreshToken?: string }, typeof Login>;
  'GET /auth/me': Fit<UserInfo, typeof Me>;
  'GET /api-keys': Fit<Page<KeyDto>, typeof ApiKeyPage>;
  'POST /api-keys': Fit<KeyDto & { key: string }, typeof MadeApiKey>;
  'GET /api-keys/{}': Fit<KeyDto, typeof ApiKey>;
  'PATCH /api-keys/{}': Fit<KeyDto, typeof ApiKey>;
  'GET /users': Fit<Page<UserDto>, typeof UserPage>;
  'POST /users': Fit<UserDto, typeof User>;
  'GET /users/{}': Fit<UserDetailDto, typeof UserDetail>;
  'PATCH /users/{}': Fit<UserDto, typeof User>;
  'GET /user': Fit<UserDetailDto, typeof UserDetail>;
  'GET /admin/sharing-tags': Fit<Page<TagDto>, typeof SharingTagPage>;
  'POST /admin/sharing-tags': Fit<TagDto, typeof SharingTag>;
  'GET /admin/sharing-tags/{}': Fit<TagDto, typeof SharingTag>;
  'PATCH /admin/sharing-tags/{}': Fit<TagDto, typeof SharingTag>;
  'GET /series/{}/sharing-tags': Fit<NamedDto, typeof SharingTagSummary>;
  'PUT /series/{}/sharing-tags': Fit<NamedDto, typeof SharingTagSummary>;
  'POST /series/{}/sharing-tags': Fit<unknown, typeof SharingTagSummary>;
  'GET /user/sharing-tags': Fit<UserGrantsDto, typeof SharingTagGrants>;
  'GET /users/{}/sharing-tags': Fit<UserGrantsDto, typeof SharingTagGrants>;
  'PUT /users/{}/sharing-tags': Fit<UserGrantDto, typeof SharingTagGrant>;
  'GET /users/{}/access-groups': Fit<NamedDto, typeof AccessGroupSummary>;
  'GET /users/{}/effective-grants': Fit<EffectiveGrantsDto, typeof EffectiveGrants>;
  'GET /access-groups': Fit<GroupDto, typeof AccessGroup>;
  'POST /access-groups': Fit<GroupDto, typeof AccessGroup>;
  'GET /access-groups/{}': Fit<GroupDetailDto, typeof AccessGroupDetail>;
  'PATCH /access-groups/{}': Fit<GroupDto, typeof AccessGroup>;
  'POST /access-groups/{}/grants': Fit<GroupGrantDto, typeof AccessGroupGrant>;
  'POST /access-groups/{}/members': Fit<MemberDto, typeof AccessGroupMember>;
  'POST /access-groups/{}/oidc-mappings': Fit<MappingDto, typeof AccessGroupMapping>;
  'GET /auth/oidc/providers': Fit<ProvidersDto, typeof SignOnProviders>;
  'POST /auth/oidc/{}/login': Fit<BegunDto, typeof SignOnBegun>;
}

type Misfit = { [Row in keyof Answers]: Answers[Row] extends true ? never : Row }[keyof Answers];
type None<Row extends never> = Row;

/** Compiles only if there is none; the compiler names them. */
const MISFITS: readonly None<Misfit>[] = [];

/** The schemas compared above, which have to be those of the rows; in brackets those of a list. */
const SCHEMAS: Readonly<Record<keyof Answers, TSchema | readonly [TSchema]>> = {
  'POST /auth/login': Login,
  'POST /auth/logout': Message,
  'POST /auth/register': Registered,
  'POST /auth/resend-verification': Message,
  'POST /auth/verify-email': VerifiedEmail,
  'POST /auth/refresh': Login,
  'GET /auth/me': Me,
  'GET /api-keys': Type.Union([Type.Array(ApiKey), ApiKeyPage]),
  'POST /api-keys': MadeApiKey,
  'GET /api-keys/{}': ApiKey,
  'PATCH /api-keys/{}': ApiKey,
  'GET /users': UserPage,
  'POST /users': User,
  'GET /users/{}': UserDetail,
  'PATCH /users/{}': User,
  'GET /user': UserDetail,
  'GET /admin/sharing-tags': SharingTagPage,
  'POST /admin/sharing-tags': SharingTag,
  'GET /admin/sharing-tags/{}': SharingTag,
  'PATCH /admin/sharing-tags/{}': SharingTag,
  'GET /series/{}/sharing-tags': [SharingTagSummary],
  'PUT /series/{}/sharing-tags': [SharingTagSummary],
  'POST /series/{}/sharing-tags': [SharingTagSummary],
  'GET /user/sharing-tags': SharingTagGrants,
  'GET /users/{}/sharing-tags': SharingTagGrants,
  'PUT /users/{}/sharing-tags': SharingTagGrant,
  'GET /users/{}/access-groups': [AccessGroupSummary],
  'GET /users/{}/effective-grants': EffectiveGrants,
  'GET /access-groups': [AccessGroup],
  'POST /access-groups': AccessGroup,
  'GET /access-groups/{}': AccessGroupDetail,
  'PATCH /access-groups/{}': AccessGroup,
  'POST /access-groups/{}/grants': AccessGroupGrant,
  'POST /access-groups/{}/members': [AccessGroupMember],
  'POST /access-groups/{}/oidc-mappings': AccessGroupMapping,
  'GET /auth/oidc/providers': SignOnProviders,
  'POST /auth/oidc/{}/login': SignOnBegun,
};

const ROWS = new Map<string, Route>(
  ROUTES.map((route) => [`${route.method} ${route.path.replaceAll(/\{\w+\}/g, '{}')}`, route] as const),
);

block('types of clients', (check) => {
  for (const [row, schema] of Object.entries(SCHEMAS))
    check(`${row}: answers with the schema that was compared`, () => {
      const found = ROWS.get(row)?.reply[ANSWERS.get(row)?.status ?? 200];
      assert.equal(found, Array.isArray(schema) ? Type.Array(schema[0]) : schema);
    });
  check('what is described is what clients expect', () => assert.equal(MISFITS, []));
  check('every answer about people, keys and sharing is compared, or has no body', () => {
    const ours =
      /^\w+ (?:\/auth|\/api-keys|\/users?(?!\/(?:read|preferences|reader-profiles))|\/admin\/sharing|\/access-groups|\/series\/\{\}\/sharing)/;
    const left = [...ANSWERS].filter(
      ([row, { type }]) => ours.test(row) && type !== null && !Object.hasOwn(SCHEMAS, row),
    );
    assert.equal(left, []);
  });
});
