/** A key without a list of scopes has all scopes. */
export const apiScopes = [
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

export type ApiScope = (typeof apiScopes)[number]
