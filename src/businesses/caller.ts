import type { Scope } from '../../schemas/scopes.ts'
import type { By } from '../security/actor.ts'
import type { KeyKind } from './api-key.ts'
import type { BusinessLimits, CommissionHistory } from './business.ts'

/** A key that exists, whether or not it may be used. The log shows these fields. */
export type FoundKey = Pick<Caller, 'keyId' | 'businessId' | 'sandbox'>

/** The sender of a request. The API key identifies the sender as one business in one environment. */
export interface Caller {
  keyId: string
  businessId: string
  /** Whether the request was sent with a test key. */
  sandbox: boolean
  kind: KeyKind
  scopes: ReadonlySet<Scope>
  /** The limits that operators have set for the business. */
  limits: BusinessLimits
  /** The commission rates that operators have set for the business. */
  commission: CommissionHistory
  /** The client's IP address. */
  ip: string
}

/** Returns the caller as the actor for the audit trail. Merchants give no reasons. */
export const byCaller = ({ keyId, ip, sandbox }: Pick<Caller, 'keyId' | 'ip' | 'sandbox'>): By => ({
  actor: { kind: 'merchant', name: keyId, from: ip },
  reason: null,
  sandbox,
})
