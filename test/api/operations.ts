import type { ApiScope } from '../../schemas/scopes.ts'
import { apiBasePath } from '../../src/app.ts'
import { apiRoutes } from '../../src/http/routes/routes.ts'

const anyEvent: ApiScope[] = ['payments.intents:read', 'store.orders:read', 'webhooks.endpoints:read']

/** The first matching row applies. A scope without a verb gets `read` for GET, and `write` otherwise. */
const scopesOfPaths: [path: RegExp, scope: string][] = [
  [/^\/dev\/intents\/:\w+\/refund$/, 'payments.refunds:write'],
  [/^\/dev\/(intents|balance|refunds|statements|exports)\b/, 'payments.intents'],
  [/^\/dev\/webhooks\/(events|endpoints\/:id\/replay)/, 'webhooks.deliveries'],
  [/^\/dev\/webhooks\b/, 'webhooks.endpoints'],
  [/^\/dev\/store\/products\b/, 'store.products'],
  [/^\/dev\/store\/orders\b/, 'store.orders'],
]

/** Each operation on objects that don't exist, with the scope and the kind of key that it should need. */
export const operations = apiRoutes.map(({ method, path }) => {
  const [, name = 'none'] = scopesOfPaths.find(([pattern]) => pattern.test(path)) ?? []
  const verb = method === 'get' ? 'read' : 'write'
  const scope = (name.includes(':') ? name : `${name}:${verb}`) as ApiScope
  const url = apiBasePath + path.replaceAll(/:\w+/g, 'PI-NONE')
  const kind = `${method} ${path}` === 'get /dev/intents/:referenceNumber' ? 'any' : 'secret'
  return [method, url, path.startsWith('/dev/events') ? anyEvent : scope, kind] as const
})
