import type { Request, Response } from 'express'
import type { Caller } from '../../businesses/caller.ts'
import { identify } from '../../businesses/identify.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import type { Deadline } from '../server/deadline.ts'
import { limitUnknown } from './limit-rate.ts'

/**
 * Identifies the caller by its API key (SPEC 5; steps 3 to 5 in the order of checks, docs/maintainers/decisions.md).
 * `req.ip` is safe to use, because Express determines it from TRUST_PROXY. The request's log line contains the key even
 * if the request is rejected (http/server/log-request.ts).
 */
export async function authenticate(deps: Deps, req: Request, res: Response, deadline: Deadline): Promise<Caller> {
  const address = req.ip ?? ''
  return deadline.run((deadlineAt) =>
    limitUnknown(deps, address, res, deadlineAt, async () =>
      identify(deps, bearerToken(req), address, deadlineAt, (key) => {
        res.locals.key = key
      }),
    ),
  )
}

/**
 * Returns the token from the Authorization header. The header must consist of the word `Bearer` in upper or lower case,
 * one space and the token (SPEC 5.1).
 */
function bearerToken(req: Request): string {
  const values = req.headersDistinct.authorization ?? []
  if (values.length === 0) throw refuse('MISSING_CREDENTIALS')
  const token = /^bearer ([^\s,]+)$/i.exec(values.length === 1 ? (values[0] ?? '') : '')?.[1]
  if (token === undefined) throw refuse('INVALID_AUTH_HEADER')
  return token
}
