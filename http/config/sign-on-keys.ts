// The settings of single sign-on. Those of one provider are written once for all: `<name>` stands for the name that the owner gives it.
import { choice, flag, list, optional, secret, text } from './key-kinds.js';
import { APP_ADDRESS, filled, HTTP_ADDRESS, ISSUER, ONE_LINE } from './shapes.js';

const GROUPS = filled('one or a list of groups, as the provider names them');

export const SIGN_ON_KEYS = {
  'auth.oidc.enabled': flag(false, 'Let people sign in with the OpenID Connect providers that are named here.'),
  'auth.oidc.auto_create_users': flag(true, 'Create an account for whoever signs in there and has none yet.'),
  'auth.oidc.default_role': choice(
    'reader',
    ['reader', 'maintainer'],
    'Role of such an account, unless a role mapping says another.',
  ),
  'auth.oidc.link_by_verified_email': flag(
    false,
    'Whoever has no account yet gets the one with the same e-mail address, if both sides have verified it.',
  ),
  'auth.oidc.redirect_uri_base': optional(
    'application.base_url',
    'Address under which browsers come back from a provider.',
    HTTP_ADDRESS,
  ),
  'auth.oidc.allowed_redirect_uris': list(
    [],
    'Addresses of apps that may sign people in, exactly as the apps send them.',
    APP_ADDRESS,
  ),

  'auth.oidc.providers.<name>.display_name': optional('the name', 'What people know the provider as.', ONE_LINE),
  'auth.oidc.providers.<name>.issuer_url': optional('required', 'Address of the provider.', ISSUER),
  'auth.oidc.providers.<name>.client_id': optional('required', 'What the provider knows this server as.', ONE_LINE),
  'auth.oidc.providers.<name>.client_secret': secret('none', 'Secret that it shares with the provider.', 'a text'),
  'auth.oidc.providers.<name>.client_secret_env': optional(
    'none',
    'Environment variable that holds this secret instead.',
    { pattern: '^[A-Za-z_][A-Za-z0-9_]*$', expects: 'the name of an environment variable', holds: () => true },
  ),
  'auth.oidc.providers.<name>.scopes': list(
    ['openid', 'profile', 'email'],
    'What the provider is asked for; openid is always among it.',
    { pattern: '^[!#-\\[\\]-~]+$', expects: 'one or a list of scopes, like groups', holds: () => true },
  ),
  'auth.oidc.providers.<name>.role_mapping.reader': list([], 'Groups whose members become readers.', GROUPS),
  'auth.oidc.providers.<name>.role_mapping.maintainer': list([], 'Groups whose members become maintainers.', GROUPS),
  'auth.oidc.providers.<name>.role_mapping.admin': list([], 'Groups whose members become administrators.', GROUPS),
  'auth.oidc.providers.<name>.groups_claim': text(
    'groups',
    "Claim that holds a person's groups; a dot leads into an object.",
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
    'Audiences for which its access tokens are accepted as bearer tokens; the client id unless told.',
    ONE_LINE,
  ),
} as const;
