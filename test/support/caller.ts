import { apiScopes } from '../../schemas/scopes.ts'
import { unsetLimits } from '../../src/businesses/business.ts'
import type { Caller } from '../../src/businesses/caller.ts'
import type { Merchant } from './service.ts'

export const callerOf = ({ businessId, keyId }: Merchant, sandbox = true): Caller => ({
  businessId,
  keyId,
  sandbox,
  kind: 'secret',
  scopes: new Set(apiScopes),
  limits: unsetLimits,
  commission: [],
  ip: '::1',
})
