/** What an API key may be allowed to do. A key that is issued without a list has every scope. */
export const scopes = [
  'payments.intents:read',
  'payments.intents:write',
  'payments.refunds:write',
  'webhooks.endpoints:read',
  'webhooks.endpoints:write',
  'webhooks.deliveries:read',
  'webhooks.deliveries:write',
  'store.products:read',
  'store.products:write',
  'store.orders:read',
  'store.orders:write',
] as const

export type Scope = (typeof scopes)[number]
