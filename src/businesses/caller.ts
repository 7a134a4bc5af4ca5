import type { Scope } from '../../schemas/scopes.ts'
import type { KeyKind } from './api-key.ts'
import type { BusinessLimits } from './business.ts'

/** Who asks: one API key of one business, in one environment. */
export interface Caller {
  keyId: string
  businessId: string
  /** True for a test key. */
  sandbox: boolean
  kind: KeyKind
  scopes: ReadonlySet<Scope>
  /** The limits of its business. */
  limits: BusinessLimits
  /** The address the request came from. */
  ip: string
}
