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
  /** The limits of its business. */
  limits: BusinessLimits
  /** The address of the client. */
  ip: string
}
