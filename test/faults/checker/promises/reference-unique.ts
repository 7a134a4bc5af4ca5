import type { IntentDocument } from '../documents.ts'
import { groupsOf, having } from '../groups.ts'
import { dataOf, errorOf, isReplay, type ShownIntent } from '../responses.ts'
import type { Check } from '../round.ts'
import { lateMs } from '../times.ts'

/**
 * A merchant's reference belongs to at most one PENDING, PAID or REFUNDED intent of a business and environment, and is
 * refused only while such an intent has it.
 */
export const referenceUnique: Check = function* (round) {
  const { dump, requests, calls, times, mayBeCleaned } = round
  const byReference = groupsOf(
    dump.intents.filter(({ merchantReference }) => merchantReference !== null),
    ({ businessId, sandbox, merchantReference }) => scopeOf(businessId, sandbox, merchantReference),
  )
  /** When each intent was certainly stored. */
  const storedBy = new Map(
    having(requests, 'create').flatMap(({ settled }) => {
      const reference = dataOf<ShownIntent>(settled)?.referenceNumber
      return settled === null || reference === undefined ? [] : [[reference, times.shownOf(settled).to]]
    }),
  )
  const isStored = ({ referenceNumber }: IntentDocument, at: number): boolean =>
    (storedBy.get(referenceNumber) ?? Number.POSITIVE_INFINITY) < at
  for (const [reference, some] of byReference)
    for (const [index, one] of some.entries())
      for (const other of some.slice(index + 1))
        if (isStored(one, freedAt(other)) && isStored(other, freedAt(one)))
          yield [reference, `belongs to ${one.referenceNumber} and ${other.referenceNumber} at the same time`]

  for (const call of having(calls, 'create')) {
    if (errorOf(call)?.code !== 'MERCHANT_REFERENCE_TAKEN' || isReplay(call)) continue
    const { business, sandbox } = call
    const reference = scopeOf(
      business,
      sandbox,
      (call.body as { merchantReference: string }).merchantReference,
    )
    const { from, to } = times.shownOf(call)
    const isHeld = (byReference.get(reference) ?? []).some(
      (intent) => intent.createdAt <= to && freedAt(intent) + lateBy(intent) >= from,
    )
    if (!isHeld && !mayBeCleaned({ sandbox: sandbox === true, createdAt: from - lateMs }))
      yield [reference, `was refused in call ${call.call}, and no intent had it`]
  }
}

const scopeOf = (business: string | null, sandbox: boolean | null, reference: string | null): string =>
  `${business} ${sandbox ? 'test' : 'live'} ${reference}`

/** The earliest time at which another intent may get the reference of an intent. */
const freedAt = ({ status, updatedAt }: IntentDocument): number =>
  status === 'CANCELLED' || status === 'FAILED' ? updatedAt : Number.POSITIVE_INFINITY

/** How much later the write that frees a reference may come. An expiry needs no write. */
const lateBy = ({ updatedAt, expiresAt }: IntentDocument): number => (updatedAt === expiresAt ? 0 : lateMs)
