import { Ajv } from 'ajv'
import { declines, failures } from '../../../schemas/payment-reasons.ts'
import { type WalletResponse, walletResponse } from '../../../schemas/wallet-response.ts'
import type { RefusalReason, StatusQuery, WalletOutcome } from '../wallet.ts'
import type { ProviderResponse } from './exchange.ts'

const isWalletResponse = new Ajv().compile<WalletResponse>(walletResponse)

/** The order that was sent or asked about: the answer must be about it. */
export type OrderIdentity = Pick<StatusQuery, 'kind' | 'key' | 'amount'>

/** These have a status of their own; all else comes with 200. */
const ownStatus: Partial<Record<WalletResponse['status'], number>> = { unknown: 404, expired: 410 }
const usualStatus = 200

/** The provider's answer, or a word for why it cannot be believed. */
export function readResponse(
  { status, body }: Pick<ProviderResponse, 'status' | 'body'>,
  asked: OrderIdentity,
): { answer: WalletResponse } | { fault: string } {
  const answer = parse(body)
  // A 404 of a proxy, or of whatever else is at that address, says nothing about an order.
  if (!isWalletResponse(answer) || status !== (ownStatus[answer.status] ?? usualStatus))
    return { fault: status === usualStatus ? 'malformed' : `status ${status}` }
  if (answer.key !== asked.key) return { fault: 'another key' }
  if (answer.amount !== undefined && answer.amount !== asked.amount) return { fault: 'another amount' }
  // A refund asks for no PIN.
  if (answer.status === 'refused' && asked.kind === 'refund') return { fault: 'malformed' }
  return { answer }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

const refusals: readonly RefusalReason[] = ['wrong_pin', 'wallet_locked']

/**
 * What an answer means. Its status says whether money moved; a reason that is unknown here becomes the one that tells
 * the customer least.
 */
export function toOutcome({ status, reason }: WalletResponse): WalletOutcome {
  switch (status) {
    case 'succeeded':
      return { outcome: 'done' }
    case 'refused':
      return { outcome: 'refused', reason: refusals.find((each) => each === reason) ?? 'wrong_pin' }
    case 'declined':
      return { outcome: 'declined', reason: declines.find((each) => each === reason) ?? 'limit_exceeded' }
    case 'failed':
      return { outcome: 'failed', reason: failures.find((each) => each === reason) ?? 'technical_error' }
    case 'pending':
      return { outcome: 'unknown', why: 'pending' }
    case 'unknown':
      return { outcome: 'unknown', why: 'not there' }
    case 'expired':
      return { outcome: 'unknown', why: 'expired' }
  }
}
