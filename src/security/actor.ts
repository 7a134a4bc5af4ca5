import type { mongo } from 'mongoose'
import { type Of, oneOf, orNull, part, text } from '../mongo/fields.ts'

/** The person behind an action: staff on a page, an operator on the command line, or a merchant through the API. */
export const actorFields = part({
  kind: oneOf<'staff' | 'operator' | 'merchant'>(),
  /** The staff account, the operating system's user, or the API key's id. */
  name: text,
  /** The IP address of the request, or the host on which an operator ran the command. */
  from: orNull(text),
})
export type Actor = Of<typeof actorFields>

/** `reason` is null if none was given. Merchants never give one. */
export interface By {
  actor: Actor
  reason: string | null
  /** Whether a merchant used a test key. Only lines of merchants have this. */
  sandbox?: boolean
  /** Throws if the actor is no longer signed in. Only staff on a page have this, and it's never stored. */
  expectValid?(transaction: mongo.ClientSession): Promise<void>
}
