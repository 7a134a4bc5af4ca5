import type { ProviderRequest } from '../../evidence/evidence.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { groupsOf } from '../views/groups.ts'

interface Moved {
  of: string
  amount: number
}

/**
 * The provider's books and ours say the same of live money: a payment that it made is the payment of its intent, a refund a refund, of the same amount; and
 * no order was sent twice (docs/wallet-provider.md).
 */
export const providerBalances: Judge = function* (round) {
  const orders = round.provider.filter(({ asks }) => asks === 'order')
  for (const [of, some] of groupsOf(orders, ({ key }) => key))
    if (some.length > 1) yield { of, says: `the order was sent ${some.length} times` }
  const due = dueIn(round)
  const made = new Map(round.provider.filter(isMade).map((request) => [request.key, request]))
  for (const [key, { of, amount }] of due)
    if (made.get(key)?.amount !== amount)
      yield {
        of,
        says: `says that ${amount} moved as ${key}, and the provider ${made.get(key)?.amount ?? 'nothing'}`,
      }
  for (const request of made.values()) yield* known(request, due)
}

const isMade = ({ decided, status }: ProviderRequest): boolean => decided && status === 'succeeded'

function dueIn({ dump }: Round): Map<string, Moved> {
  const due = new Map<string, Moved>()
  for (const { referenceNumber: of, payment, refunds } of dump.intents) {
    if (payment === null || !payment.wallet.startsWith('live:')) continue
    due.set(payment.key, { of, amount: payment.amountPaid })
    for (const { id, amount, status } of refunds) if (status === 'SUCCEEDED') due.set(id, { of, amount })
  }
  return due
}

function* known(
  { key, kind, amount, reference }: ProviderRequest,
  due: Map<string, Moved>,
): Generator<Broken> {
  const told = due.get(key)
  if (told === undefined)
    yield {
      of: reference ?? key,
      says: `the provider made a ${kind} of ${amount} as ${key}, and no intent tells of it`,
    }
  else if (kind === 'payment' && told.of !== reference)
    yield { of: told.of, says: `its payment ${key} was ordered for ${reference}` }
}
