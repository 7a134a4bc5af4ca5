import type { Scope } from '../../schemas/scopes.ts'

const intents = '/api/v1/dev/intents'

/** Every operation, with what a key needs for it. */
export const operations: [method: 'get' | 'post', path: string, scope: Scope, kind: 'any' | 'secret'][] = [
  ['post', intents, 'payments.intents:write', 'secret'],
  ['get', intents, 'payments.intents:read', 'secret'],
  ['get', `${intents}/PI-NONE`, 'payments.intents:read', 'any'],
  ['post', `${intents}/PI-NONE/cancel`, 'payments.intents:write', 'secret'],
  ['post', '/api/v1/dev/webhooks/endpoints', 'webhooks.endpoints:write', 'secret'],
  ['get', '/api/v1/dev/webhooks', 'webhooks.endpoints:read', 'secret'],
]
