import type { Deps } from '../deps.ts'
import { codeAnswers, codeKeyOf } from './code.ts'
import type { Intent } from './intent.ts'
import { asOf } from './present.ts'

const seen = {
  shortCode: 1,
  status: 1,
  cancellationReason: 1,
  hold: 1,
  codeExpiresAt: 1,
  expiresAt: 1,
  updatedAt: 1,
}

/**
 * The intent that a payment code leads to: a live one, or one of this business's sandbox. Null when the code answers to nobody now,
 * be it unknown, used, cancelled or expired.
 */
export async function findByCode(
  deps: Pick<Deps, 'Intent' | 'now'>,
  sandboxOf: string | null,
  code: string,
): Promise<Pick<Intent, 'shortCode'> | null> {
  const codeKey = codeKeyOf({ businessId: sandboxOf ?? '', sandbox: sandboxOf !== null }, code)
  const intent = await deps.Intent.findOne({ codeKey }, seen).lean<Intent | null>()
  if (intent === null) return null
  const now = deps.now()
  return codeAnswers(asOf(intent, now), now) ? intent : null
}
