import type { Deps } from '../deps.ts'
import type { Intent } from './intent.ts'

/** The sealed first answer of the create whose effect id this is, or null when it made nothing. */
export async function recallIntent(deps: Pick<Deps, 'Intent'>, effectId: string): Promise<string | null> {
  const intent = await deps.Intent.findById(effectId, { answer: 1 }).lean<Pick<Intent, 'answer'> | null>()
  return intent?.answer ?? null
}
