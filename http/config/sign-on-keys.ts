// The settings of single sign-on. Those of a provider are written once for all: `<name>` stands for the name chosen in the configuration.
import { choice, flag, list, optional, secret, text } from './key-kinds.js';
import { APP_ADDRESS, filled, HTTP_ADDRESS, ISSUER, ONE_LINE } from './shapes.js';

const GROUPS = filled('a group or a list of groups, as the provider names them');

export const SIGN_ON_KEYS = {
  'auth.oidc.enabled': flag(false, 'Let people sign in with the OpenID Connect providers configured here.'),
  'auth.oidc.auto_create_users': flag(true, 'Create an account for anyone who signs on and has none yet.'),
  'auth.oidc.default_role': choice(
    'reader',
    ['reader', 'maintainer'],
    'Role of such an account, unless a role mapping applies.',
  ),
  'auth.oidc.link_by_verified_email': flag(
    false,
    'Link people to an existing account with the same e-mail address, if both sides have verified it.',
  ),
  'auth.oidc.redirect_uri_base': optional(
    'application.base_url',
    'Public address of this server to which providers send browsers back.',
    HTTP_ADDRESS,
  ),
  'auth.oidc.allowed_redirect_uris': list(
    [],
    'Redirect URIs of apps that may sign people in, exactly as the apps send them.',
    APP_ADDRESS,
  ),

  'auth.oidc.providers.<name>.display_name': optional(
    'the name',
    'Name of the provider, as shown to people.',
    ONE_LINE,
  ),
  'auth.oidc.providers.<name>.issuer_url': optional('required', 'Issuer URL of the provider.', ISSUER),
  'auth.oidc.providers.<name>.client_id': optional('required', 'Client id of this server at the provider.', ONE_LINE),
  'auth.oidc.providers.<name>.client_secret': secret('none', 'Client secret of this server at the provider.', 'a text'),
  'auth.oidc.providers.<name>.client_secret_env': optional(
    'none',
    'Environment variable that holds the client secret instead.',
    { pattern: '^[A-Za-z_][A-Za-z0-9_]*$', expects: 'the name of an environment variable', holds: () => true },
  ),
  'auth.oidc.providers.<name>.scopes': list(
    ['openid', 'profile', 'email'],
    'Scopes to request; openid is always included.',
    { pattern: '^[!#-\\[\\]-~]+$', expects: 'one or a list of scopes, like groups', holds: () => true },
  ),
  'auth.oidc.providers.<name>.role_mapping.reader': list([], 'Groups whose members become readers.', GROUPS),
  'auth.oidc.providers.<name>.role_mapping.maintainer': list([], 'Groups whose members become maintainers.', GROUPS),
  'auth.oidc.providers.<name>.role_mapping.admin': list([], 'Groups whose members become administrators.', GROUPS),
  'auth.oidc.providers.<name>.groups_claim': text(
    'groups',
    "Claim that holds a person's groups; dots separate the names of nested objects.",
    ONE_LINE,
  ),
  'auth.oidc.providers.<name>.username_claim': text(
    'preferred_username',
    'Claim that a new account is named after.',
    ONE_LINE,
  ),
  'auth.oidc.providers.<name>.email_claim': text('email', 'Claim that holds the e-mail address.', ONE_LINE),
  'auth.oidc.providers.<name>.accepted_audiences': list(
    [],
    'Audiences with which its access tokens are accepted as bearer tokens; the client id if empty.',
    ONE_LINE,
  ),
} as const;
