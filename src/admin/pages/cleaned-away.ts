import { html } from 'ghtml'
import type { Deps } from '../../deps.ts'

/** Of a test older than the clean-up keeps any (src/retention): nobody can tell any more what was sent of it. Null for anything else. */
export function cleanedAway(
  { config, now }: Pick<Deps, 'config' | 'now'>,
  { sandbox, createdAt }: { sandbox: boolean; createdAt: Date },
): string | null {
  const isOld = now().getTime() - createdAt.getTime() > config.sandboxRetentionMs
  if (!sandbox || !isOld) return null
  return html`<p class="notice">This test is so old that the clean-up takes it away, its webhooks first.</p>`
}
