import type { Scope } from '../../schemas/scopes.ts'
import type { KeyKind } from './api-key.ts'
import type { BusinessLimits } from './business.ts'

/** The sender of a request: an API key of a business, in one environment. */
export interface Caller {
  keyId: string
  businessId: string
  /** True for a test key. */
  sandbox: boolean
  kind: KeyKind
  scopes: ReadonlySet<Scope>
  /** Its business's limits. */
  limits: BusinessLimits
  /** The client's address. */
  ip: string
}
