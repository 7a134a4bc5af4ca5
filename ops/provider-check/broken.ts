import type { Reply } from './requests.ts'

/** Quotes of docs/operators/wallet-provider.md. A colon stands between the cells of a table. */
export const rules = {
  once: 'Carry out each request at most once, even if copies arrive at the same time or days later.',
  sameResponse: 'Always return the same final response for a `key`.',
  otherBody: 'A different body gets a 4xx or that response, and is never carried out.',
  twoRequests: 'A payment and a refund with the same key are two requests.',
  expired: "Don't carry out a request that arrives after its `validUntil`. Respond with 410 `expired`",
  copyExpired: 'Respond with 410 `expired`, unless an earlier copy arrived in time.',
  late: "If it takes longer, and you've reported the key as unknown, don't carry out the request.",
  clock: "Keep your clock within 30 s of the service's clock",
  remember: 'Remember each key for at least 30 days.',
  money:
    'Return `succeeded` only if all the money moved, and `declined`, `failed` or `refused` only if none of it moved and none ever will.',
  final: 'These statuses are final.',
  payment: 'take `amount` + `fee` from the wallet of `phone` if `pin` is correct',
  refund: 'return `amount` + `fee` to the payer of `paymentKey`',
  notRefunded:
    "If it isn't a `succeeded` payment, can no longer be refunded, or if all its refunds together, including those that are `pending`, would exceed its `amount` or `fee`, return `failed` or `declined`",
  key: '`key`: at most 64 characters without spaces; percent-encoded in a path.',
  pins: 'You must limit wrong attempts',
  pinSecrecy: 'Neither side may store or log it.',
  bytes: 'Use the bytes as they arrived',
  constantTime: 'compare signatures in constant time',
  signature: 'Return 401 if the signature is wrong or the timestamp is more than 300 s off.',
  size: 'Return at most 16 KiB of JSON',
  declined:
    '`declined`: not possible this time: `insufficient_funds`, `limit_exceeded`, `declined` (anything else)',
  failed: '`failed`: never possible: `technical_error`, `wallet_closed`',
  refused: '`wrong_pin` (also if there is no such wallet), `wallet_locked`',
  unknown: "`unknown`: only for a GET, with 404: you don't know the key",
  late410: '`expired`: only for a POST, with 410: too late, and never carried out',
  usable: 'After any other response, the outcome is unknown',
  queried: 'The service then queries the outcome',
  wallets: 'with wallets of your own that lead to each outcome',
  settle: '`settleSeconds` is how long `pending` may last.',
  twoKeys: 'the provider must accept both keys until all processes use the new one',
} as const

/** The provider breaks the obligation, or the rule that is given. */
export class Broken extends Error {
  readonly reply: Reply | null
  readonly rule: string | null
  constructor(why: string, reply: Reply | null = null, rule: string | null = null) {
    super(why)
    this.reply = reply
    this.rule = rule
  }
}

export class NotTested extends Error {}
