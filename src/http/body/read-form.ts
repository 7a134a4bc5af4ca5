import { type NextFunction, type Request, type Response, urlencoded } from 'express'
import { brokenOff, isAnnounced } from './read-body.ts'

/** The largest form has a few short fields. The bytes are the limit; that of fields is above what they can hold. */
const readFields = urlencoded({ extended: false, limit: '8kb', parameterLimit: 10_000, inflate: false })

/** As in body.ts: what is passed over because its sender has left is no form with nothing in it. */
const refusePassedOver = (req: Request, _res: Response, next: NextFunction): void =>
  next(isAnnounced(req) && req.body === undefined && req.socket.destroyed ? brokenOff() : undefined)

export const readForm = [readFields, refusePassedOver]

/** The fields of a form that was sent, as text: empty for one that is missing, or came more than once. */
export function formFields<Name extends string>(req: Request, ...names: Name[]): Record<Name, string> {
  const body = (req.body ?? {}) as Record<string, unknown>
  const text = (name: string) => (typeof body[name] === 'string' ? body[name] : '')
  return Object.fromEntries(names.map((name) => [name, text(name)])) as Record<Name, string>
}
