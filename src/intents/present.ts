import type { Config } from '../config.ts'
import type { Intent } from './intent.ts'
import { isPending, moves } from './lifecycle.ts'
import { metadataObject } from './payload.ts'

/**
 * The intent as it is at `now`: one whose time is up has expired, whether or not a worker has written it down
 * yet. The later write sets the same values.
 */
export function asOf<Seen extends Pick<Intent, 'status' | 'cancellationReason' | 'expiresAt' | 'updatedAt'>>(
  intent: Seen,
  now: Date,
): Seen {
  const { expire } = moves
  if (!isPending(intent.status) || intent.expiresAt > now) return intent
  return {
    ...intent,
    status: expire.to,
    cancellationReason: expire.cancellationReason,
    updatedAt: expire.at(intent),
  }
}

/** The answer to a create (SPEC 4.1). */
export function presentCreated(config: Pick<Config, 'payUrl'>, intent: Intent): Record<string, unknown> {
  return {
    referenceNumber: intent.referenceNumber,
    shortCode: intent.shortCode,
    code: intent.code,
    codeExpiresAt: intent.codeExpiresAt,
    payUrl: `${config.payUrl}/p/${intent.shortCode}`,
    amount: shownAmount(intent),
    amountType: intent.amountType,
    currency: 'MRU',
    label: intent.label,
    status: intent.status,
    sandbox: intent.sandbox,
    metadata: metadataObject(intent),
    expiresAt: intent.expiresAt,
    createdAt: intent.createdAt,
  }
}

/** Every field of SPEC 2.1, as of `now`; the code only while it answers. */
export function presentIntent(
  config: Pick<Config, 'payUrl'>,
  stored: Intent,
  now: Date,
): Record<string, unknown> {
  const intent = asOf(stored, now)
  const codeAnswers = isPending(intent.status) && intent.codeExpiresAt > now
  return {
    ...presentCreated(config, intent),
    code: codeAnswers ? intent.code : null,
    codeExpiresAt: codeAnswers ? intent.codeExpiresAt : null,
    type: 'API',
    payment: intent.payment,
    refunds: [],
    totalAmountRefunded: 0,
    updatedAt: intent.updatedAt,
    ...(intent.cancellationReason === null ? {} : { cancellationReason: intent.cancellationReason }),
  }
}

const shownAmount = (intent: Intent): number | null => (intent.amountType === 'OPEN' ? null : intent.amount)
