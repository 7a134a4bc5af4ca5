import { currencyCode } from '../../schemas/currency.ts'
import { type ChainOwner, findLast } from '../chains/append.ts'
import type { Deps } from '../deps.ts'
import { nativeCollection } from '../mongo/collection.ts'

/** The balance of a merchant in one environment, in centimes. */
export interface Balance {
  currency: string
  amount: number
  asOf: Date
}

/** Returns what the service owes the merchant. The last entry of the ledger contains it. */
export async function readBalance(
  deps: Pick<Deps, 'LedgerEntry' | 'now'>,
  owner: ChainOwner,
): Promise<Balance> {
  const asOf = deps.now()
  const last = await findLast(nativeCollection(deps.LedgerEntry), owner)
  return { currency: currencyCode, amount: last?.after.balance ?? 0, asOf }
}
