import type { mongo } from 'mongoose'

/** Who did it: staff on a page, an operator on the command line, or a merchant through the API. */
export interface Actor {
  kind: 'staff' | 'operator' | 'merchant'
  /** Of the staff account or the operating system's user; for merchants, the API key's id. */
  name: string
  /** IP address of the request, or the host on which an operator ran the command. */
  from: string | null
}

/** `reason` is null for merchants, and if none was given. */
export interface By {
  actor: Actor
  reason: string | null
  /** Only on a merchant's lines: whether a test key was used. */
  sandbox?: boolean
  /** Throws if the actor is no longer signed in. Only for staff on a page; never stored. */
  expectValid?(transaction: mongo.ClientSession): Promise<void>
}
