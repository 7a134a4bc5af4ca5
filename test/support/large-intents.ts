import { recordPayment } from '../../src/intents/payments/begin-and-settle.ts'
import { noDeadline } from '../../src/mongo/batchers.ts'
import { newId } from '../../src/platform/ids.ts'
import { noCommission } from '../../src/wallets/commission.ts'
import { storedIntent } from './pay.ts'
import type { Service } from './service.ts'
import { newMarking } from './write-request.ts'

/** The largest metadata allowed, of characters that take four bytes. */
export const fullMetadata = Object.fromEntries(
  Array.from({ length: 50 }, (_, at) => [`${at}`.padStart(4, '0') + '💰'.repeat(251), '💰'.repeat(500)]),
)
export const cause = { requestId: newId(), traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }

export async function bytesOf({ deps }: Service, referenceNumber: string): Promise<number> {
  const size = { $project: { bytes: { $bsonSize: '$$ROOT' } } }
  const [found] = await deps.Intent.aggregate<{ bytes: number }>([{ $match: { referenceNumber } }, size])
  return found?.bytes ?? 0
}

export async function paymentsOf(service: Service, referenceNumber: string, amount: number) {
  const intent = await storedIntent(service, referenceNumber)
  const payer = { payerPhone: '22 ** ** 45', payerHash: 'h', commission: noCommission }
  const end = async (status: string, outcome: Parameters<typeof recordPayment>[3]) => {
    const payment = { id: newId(), wallet: 'sandbox', amount, ...payer } as const
    const by = { marking: newMarking(service.deps), cause }
    const ended = await recordPayment(service.deps, intent, payment, outcome, by, noDeadline)
    expect(ended?.status).to.equal(status)
  }
  return {
    intent,
    decline: () => end('PENDING', { outcome: 'declined', reason: 'insufficient_funds' }),
    succeed: () => end('PAID', { outcome: 'done' }),
  }
}
