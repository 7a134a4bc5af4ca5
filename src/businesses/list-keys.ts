import type { Scope } from '../../schemas/scopes.ts'
import type { Deps } from '../deps.ts'
import { given, type IdPage, type IdSlice, mapPage, orders, readIdPage } from '../mongo/id-page.ts'
import type { ApiKey } from './api-key.ts'
import { type KeyFacts, keyFacts } from './key-facts.ts'

/** Selects keys. Omitted fields do not restrict the selection. */
export interface KeyFilter extends Partial<Pick<ApiKey, 'businessId' | 'mode' | 'kind' | 'status'>> {
  /** A scope that the key has. */
  scope?: Scope
  /** The last four characters of the current secret or of an earlier one. */
  last4?: string
}

/** Returns the keys that match, newest first. */
export async function listKeys(
  deps: Pick<Deps, 'ApiKey' | 'now'>,
  { scope, last4, ...filter }: KeyFilter,
  slice: IdSlice,
): Promise<IdPage<KeyFacts>> {
  const where = given({ ...filter, scopes: scope, 'secrets.last4': last4 })
  const page = await readIdPage(deps.ApiKey, where, slice, orders.newestFirst)
  return mapPage(page, (key) => keyFacts(key, deps.now()))
}
