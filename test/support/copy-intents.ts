import type { Intent } from '../../src/intents/intent.ts'
import { newId, newReferenceNumber } from '../../src/platform/ids.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import { createIntent } from './actions.ts'
import type { Merchant, Service } from './service.ts'

export async function intentTemplate(service: Service, merchant: Merchant): Promise<Intent> {
  const { referenceNumber } = await createIntent(service, merchant)
  const { Intent } = service.deps
  excuse([referenceNumber])
  const found = await Intent.findOneAndDelete({ referenceNumber }).orFail().lean<Intent>()
  const { codeKey: _codeKey, ...template } = found
  return template
}

let copied = 0

/** Never repeats, and spreads evenly, because metrics take a sample by short code. */
function nextShortCode(): string {
  copied += 1
  return ((copied * 1_234_567_891) % 36 ** 6).toString(36).toUpperCase().padStart(6, '0')
}

export async function copyIntents(
  { deps }: Service,
  { requestKey: _requestKey, ...template }: Intent,
  count: number,
  changes: (index: number) => Partial<Intent>,
): Promise<Intent[]> {
  const copies = Array.from({ length: count }, (_none, index): Intent => {
    const keys = { _id: newId(), referenceNumber: newReferenceNumber(), shortCode: nextShortCode() }
    return { ...template, ...keys, outbox: [], ...changes(index) }
  })
  excuse(copies.map(({ referenceNumber }) => referenceNumber))
  await deps.Intent.collection.insertMany(copies as never[])
  return copies
}
