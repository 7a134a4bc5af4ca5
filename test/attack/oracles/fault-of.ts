import type { Oracle, Seen } from './seen.ts'

/** What an oracle says of an answer. One that stumbles over what the service said has found something by that. */
export function faultOf(oracle: Oracle, seen: Seen): string | null {
  try {
    return oracle(seen)
  } catch (error) {
    return `cannot be judged (${String(error)}): ${seen.answer.body.slice(0, 200)}`
  }
}
