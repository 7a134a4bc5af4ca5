import type { Scope } from '../../schemas/scopes.ts'

const intents = '/api/v1/dev/intents'
const endpoints = '/api/v1/dev/webhooks/endpoints'
const deliveries = '/api/v1/dev/webhooks/events'

/** Every operation, with what a key needs for it. */
export const operations: [
  method: 'get' | 'post' | 'put' | 'delete',
  path: string,
  scope: Scope,
  kind: 'any' | 'secret',
][] = [
  ['post', intents, 'payments.intents:write', 'secret'],
  ['get', intents, 'payments.intents:read', 'secret'],
  ['get', `${intents}/PI-NONE`, 'payments.intents:read', 'any'],
  ['post', `${intents}/PI-NONE/cancel`, 'payments.intents:write', 'secret'],
  ['post', `${intents}/PI-NONE/simulate-payment`, 'payments.intents:write', 'secret'],
  ['post', `${intents}/PI-NONE/refund`, 'payments.refunds:write', 'secret'],
  ['post', endpoints, 'webhooks.endpoints:write', 'secret'],
  ['put', `${endpoints}/PI-NONE`, 'webhooks.endpoints:write', 'secret'],
  ['delete', `${endpoints}/PI-NONE`, 'webhooks.endpoints:write', 'secret'],
  ['post', `${endpoints}/PI-NONE/test`, 'webhooks.endpoints:write', 'secret'],
  ['post', `${endpoints}/PI-NONE/rotate-secret`, 'webhooks.endpoints:write', 'secret'],
  ['get', '/api/v1/dev/webhooks', 'webhooks.endpoints:read', 'secret'],
  ['get', deliveries, 'webhooks.deliveries:read', 'secret'],
  ['get', `${deliveries}/PI-NONE`, 'webhooks.deliveries:read', 'secret'],
  ['post', `${deliveries}/PI-NONE/retry`, 'webhooks.deliveries:write', 'secret'],
]
