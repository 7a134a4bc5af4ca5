import type { mongo } from 'mongoose'
import { type Of, oneOf, orNull, part, text } from '../mongo/fields.ts'

/**
 * The person who performed an action: support staff on a page, an operator on the command line, or a merchant through
 * the API.
 */
export const actorFields = part({
  kind: oneOf<'staff' | 'operator' | 'merchant'>(),
  /** The name of the staff account or of the operating system's user, or the id of the API key. */
  name: text,
  /** The IP address of the actor's request, or the host name of the machine on which an operator ran the command. */
  from: orNull(text),
})
export type Actor = Of<typeof actorFields>

/** The actor of an action, and the reason. The reason is null if none was given, as for every action of a merchant. */
export interface By {
  actor: Actor
  reason: string | null
  /** Whether a merchant used a test key. Only lines of merchants have this field. */
  sandbox?: boolean
  /** Throws an error if the actor is no longer signed in. Only staff on a page have it, and it is not stored. */
  expectValid?(transaction: mongo.ClientSession): Promise<void>
}
