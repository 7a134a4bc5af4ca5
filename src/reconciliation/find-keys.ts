import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import { type FoundKey, type RecordedIntent, recordedFields, recordedPayment, recordedRefunds } from './recorded.ts'
import { maxReadMs } from './recorded-in.ts'

/**
 * Finds the live intents that contain these wallet keys. The result contains only the keys that were found. If `wallet`
 * is not null, `recorded` is null for the payments and refunds of other wallets.
 */
export async function findKeys(
  { Intent: model }: Pick<Models, 'Intent'>,
  keys: readonly string[],
  wallet: string | null,
): Promise<Map<string, FoundKey>> {
  const intents = (await nativeCollection(model)
    .find(
      { lookUpKeys: { $in: keys }, sandbox: false },
      { hint: 'byLookUpKey', projection: { ...recordedFields, lookUpKeys: 1 }, maxTimeMS: maxReadMs },
    )
    .toArray()) as RecordedIntent[]
  const wanted = new Set(keys)
  const found = new Map<string, FoundKey>()
  for (const intent of intents) {
    const { businessId, referenceNumber: reference, lookUpKeys = [] } = intent
    const isOfWallet = wallet === null || intent.payment?.wallet === wallet
    const recorded = isOfWallet ? [...recordedPayment(intent), ...recordedRefunds(intent)] : []
    for (const key of lookUpKeys.filter((each) => wanted.has(each)))
      found.set(key, { reference, businessId, recorded: recorded.find((each) => each.key === key) ?? null })
  }
  return found
}
