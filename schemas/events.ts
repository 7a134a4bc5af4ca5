import type { Scope } from './scopes.ts'

/** The scope that a key needs to subscribe an endpoint to each event (SPEC 6.1, 4.8). */
export const events = {
  'payment.created': 'payments.intents:read',
  'payment.confirmed': 'payments.intents:read',
  'payment.cancelled': 'payments.intents:read',
  'payment.expired': 'payments.intents:read',
  'payment.refunded': 'payments.intents:read',
  'payment.failed': 'payments.intents:read',
  'order.new': 'store.orders:read',
  'endpoint.failing': 'webhooks.endpoints:read',
} as const satisfies Record<string, Scope>

export type EventName = keyof typeof events
