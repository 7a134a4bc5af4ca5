import { Ajv } from 'ajv'
import { currencyCode } from '../../../schemas/currency.ts'
import { declines, failures } from '../../../schemas/payment-reasons.ts'
import { type WalletResponse, walletResponse } from '../../../schemas/wallet-response.ts'
import type { RefusalReason, StatusQuery, WalletOutcome } from '../wallet.ts'
import type { ProviderResponse } from './exchange.ts'

const isWalletResponse = new Ajv({ validateSchema: false }).compile<WalletResponse>(walletResponse)

/** The fields of an order with which a response is compared, and those that the log shows. */
export type OrderIdentity = Pick<StatusQuery, 'kind' | 'key' | 'amount' | 'fee' | 'businessId' | 'requestId'>

/** The outcomes that have their own HTTP status. All other outcomes use 200. */
const ownStatus: Partial<Record<WalletResponse['status'], number>> = { unknown: 404, expired: 410 }
const usualStatus = 200

/** Parses the provider's response. Returns the parsed response, or the reason why it cannot be trusted. */
export function readResponse(
  { status, body }: Pick<ProviderResponse, 'status' | 'body'>,
  order: OrderIdentity,
): { response: WalletResponse } | { fault: string } {
  const response = parse(body)
  // A 404 from a proxy, or from a different server at the same address, proves nothing about an order.
  if (!isWalletResponse(response) || status !== (ownStatus[response.status] ?? usualStatus))
    return { fault: status === usualStatus ? 'malformed' : `status ${status}` }
  if (response.key !== order.key) return { fault: 'another key' }
  if (response.amount !== undefined && response.amount !== order.amount) return { fault: 'another amount' }
  if (response.fee !== undefined && response.fee !== order.fee) return { fault: 'another fee' }
  // As with the amount, null is not the currency of the order.
  if (response.currency !== undefined && response.currency !== currencyCode) return { fault: 'another currency' }
  // A wallet refuses an order only because of its PIN, and a refund has no PIN.
  if (response.status === 'refused' && order.kind === 'refund') return { fault: 'malformed' }
  return { response }
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
 * Returns the outcome that a response reports. The status indicates whether money moved. If the response has no reason,
 * or one that this service does not know, the outcome has a default reason.
 */
export function toOutcome({ status, reason }: WalletResponse): WalletOutcome {
  switch (status) {
    case 'succeeded':
      return { outcome: 'done' }
    case 'refused':
      return { outcome: 'refused', reason: refusals.find((each) => each === reason) ?? 'wrong_pin' }
    case 'declined':
      return { outcome: 'declined', reason: declines.find((each) => each === reason) ?? 'declined' }
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
