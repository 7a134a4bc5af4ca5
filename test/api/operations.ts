import type { Scope } from '../../schemas/scopes.ts'

/** Any one of these is enough to read events. */
const anyEvent: Scope[] = ['payments.intents:read', 'store.orders:read', 'webhooks.endpoints:read']

const intents = '/api/v1/dev/intents'
const balance = '/api/v1/dev/balance'
const statements = '/api/v1/dev/statements'
const endpoints = '/api/v1/dev/webhooks/endpoints'
const deliveries = '/api/v1/dev/webhooks/events'
const products = '/api/v1/dev/store/products'
const orders = '/api/v1/dev/store/orders'

export const operations: [
  method: 'get' | 'post' | 'put' | 'patch' | 'delete',
  path: string,
  scope: Scope | Scope[],
  kind: 'any' | 'secret',
][] = [
  ['post', intents, 'payments.intents:write', 'secret'],
  ['get', intents, 'payments.intents:read', 'secret'],
  ['get', `${intents}/PI-NONE`, 'payments.intents:read', 'any'],
  ['post', `${intents}/PI-NONE/cancel`, 'payments.intents:write', 'secret'],
  ['post', `${intents}/PI-NONE/simulate-payment`, 'payments.intents:write', 'secret'],
  ['post', `${intents}/PI-NONE/refund`, 'payments.refunds:write', 'secret'],
  ['get', balance, 'payments.intents:read', 'secret'],
  ['get', `${balance}/entries`, 'payments.intents:read', 'secret'],
  ['get', '/api/v1/dev/refunds', 'payments.intents:read', 'secret'],
  ['get', statements, 'payments.intents:read', 'secret'],
  ['get', `${statements}/PI-NONE`, 'payments.intents:read', 'secret'],
  ['get', '/api/v1/dev/exports/payments', 'payments.intents:read', 'secret'],
  ['get', '/api/v1/dev/exports/refunds', 'payments.intents:read', 'secret'],
  ['get', '/api/v1/dev/exports/entries', 'payments.intents:read', 'secret'],
  ['post', endpoints, 'webhooks.endpoints:write', 'secret'],
  ['put', `${endpoints}/PI-NONE`, 'webhooks.endpoints:write', 'secret'],
  ['delete', `${endpoints}/PI-NONE`, 'webhooks.endpoints:write', 'secret'],
  ['post', `${endpoints}/PI-NONE/test`, 'webhooks.endpoints:write', 'secret'],
  ['post', `${endpoints}/PI-NONE/rotate-secret`, 'webhooks.endpoints:write', 'secret'],
  ['get', '/api/v1/dev/webhooks', 'webhooks.endpoints:read', 'secret'],
  ['get', deliveries, 'webhooks.deliveries:read', 'secret'],
  ['get', `${deliveries}/PI-NONE`, 'webhooks.deliveries:read', 'secret'],
  ['post', `${deliveries}/retry`, 'webhooks.deliveries:write', 'secret'],
  ['post', `${deliveries}/PI-NONE/retry`, 'webhooks.deliveries:write', 'secret'],
  ['post', `${endpoints}/PI-NONE/replay`, 'webhooks.deliveries:write', 'secret'],
  ['get', `${endpoints}/PI-NONE/replays`, 'webhooks.deliveries:read', 'secret'],
  ['get', `${endpoints}/PI-NONE/replays/PI-NONE`, 'webhooks.deliveries:read', 'secret'],
  ['post', `${endpoints}/PI-NONE/replays/PI-NONE/cancel`, 'webhooks.deliveries:write', 'secret'],
  ['get', '/api/v1/dev/events', anyEvent, 'secret'],
  ['get', '/api/v1/dev/events/feed', anyEvent, 'secret'],
  ['get', '/api/v1/dev/events/PI-NONE', anyEvent, 'secret'],
  ['post', products, 'store.products:write', 'secret'],
  ['get', products, 'store.products:read', 'secret'],
  ['get', `${products}/PI-NONE`, 'store.products:read', 'secret'],
  ['put', `${products}/PI-NONE`, 'store.products:write', 'secret'],
  ['delete', `${products}/PI-NONE`, 'store.products:write', 'secret'],
  ['patch', `${products}/PI-NONE/variants/PI-NONE/stock`, 'store.products:write', 'secret'],
  ['post', `${products}/import-csv`, 'store.products:write', 'secret'],
  ['get', `${products}/export-csv`, 'store.products:read', 'secret'],
  ['post', `${orders}/simulate`, 'store.orders:write', 'secret'],
  ['get', orders, 'store.orders:read', 'secret'],
  ['get', `${orders}/PI-NONE`, 'store.orders:read', 'secret'],
]
