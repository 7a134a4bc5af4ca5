import type { Request, Response } from 'express'
import express from 'express'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type Refusal, refuse } from '../../errors.ts'
import { limitCostly } from '../operations/limit-rate.ts'
import { type BodyBudget, type BodyKind, type BodyMemory, smallBody, smallBodyBytes } from './budget.ts'
import { acceptedCsv, readCsv } from './csv-body.ts'
import { readJson } from './json-body.ts'
import type { Body } from './parsed.ts'

/** Reads bytes that came with a Content-Type, or none. */
type Reader = (bytes: Buffer, contentType: string | undefined) => Body | Promise<Body>

/** The bytes of a body, by its kind. */
export const maxBodyBytes = {
  // The largest legal create is some 175 KB when every character is escaped.
  json: 256 * 1024,
  // 5 000 rows of 1 600 bytes; the longest legal ones, of 20 KB, are nobody's catalogue.
  csv: 8 * 1024 * 1024,
} as const satisfies Record<BodyKind, number>

/** What a body may be: how large, how it is read, and what is said of one that is something else, where the catalogue's words do not fit. */
const kinds = {
  json: createKind(maxBodyBytes.json, readJson, null),
  csv: createKind(maxBodyBytes.csv, readCsv, acceptedCsv),
} satisfies Record<BodyKind, unknown>

const readSmall = readUpTo(smallBodyBytes)

type Bounding = Pick<Deps, 'bodyBudgets' | 'rateLimits'>

/**
 * Takes room for the body before any of it is read. RATE_LIMITED where its announced length is not free: it is thrown, for nothing was judged
 * yet. One that comes in chunks, without a length, takes that of the largest; where that is not free it may still be a small one.
 */
export function reserveBody(
  deps: Bounding,
  { businessId }: Caller,
  req: Request,
  kind: BodyKind,
): BodyMemory {
  const { largest } = kinds[kind]
  const isChunked = req.headers['transfer-encoding'] !== undefined
  const bytes = isChunked ? largest : Number(req.headers['content-length'] ?? 0)
  // Too large, it is not read at all.
  if (bytes <= smallBodyBytes || bytes > largest) return smallBody()
  const budget = deps.bodyBudgets[kind]
  const memory = budget.take(businessId, bytes)
  if (memory === null && !isChunked) throw tooManyBodies(budget)
  return memory ?? smallBody()
}

const tooManyBodies = ({ perBusiness }: BodyBudget): Refusal =>
  refuse('RATE_LIMITED', {
    message:
      'Your business is sending too many large bodies at once. Wait for the running requests to finish.',
    details: { scope: 'bodies', limit: perBusiness },
    retryAfterSeconds: 1,
  })

/**
 * Reads the whole body into its memory, bounded, and what it says. One that broke off, or for which there is no memory, is thrown: of such a request
 * nothing may be done, whatever it asks.
 */
export async function readBody(
  deps: Bounding,
  caller: Caller,
  req: Request,
  res: Response,
  kind: BodyKind,
  memory: BodyMemory,
): Promise<Body> {
  const { largest, readRaw, read, accepted } = kinds[kind]
  // Told by the length alone; otherwise all of it would be read before the answer.
  if (Number(req.headers['content-length']) > largest)
    return { refusal: refuse('PAYLOAD_TOO_LARGE', { headers: { Connection: 'close' } }) }
  // Any other expectation was refused before (listen.ts).
  if (req.headers.expect !== undefined) res.writeContinue()
  const refusal = await new Promise<Refusal | null>((resolve, reject) => {
    const readBounded = memory.bytes > 0 ? readRaw : readSmall
    readBounded(req, res, (error: unknown) => {
      if (error === undefined || error === null) return resolve(null)
      const known = isBrokenOff(error) ? null : bodyRefusal(error, accepted)
      if (known === null) reject(error)
      else resolve(known)
    })
  })
  if (refusal?.code === 'PAYLOAD_TOO_LARGE' && memory.bytes === 0) throw tooManyBodies(deps.bodyBudgets[kind])
  if (refusal !== null) return { refusal }
  // Once its connection is gone, a body that nobody has read yet is passed over as if there were none, also one that had come whole.
  const isPassedOver = isAnnounced(req) && !Buffer.isBuffer(req.body)
  if (!req.complete || isPassedOver) throw brokenOff()
  const bytes = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0)
  memory.keep(bytes.length > smallBodyBytes ? bytes.length : 0)
  // Express' request lives as long as its connection is silent after it.
  req.body = undefined
  // Counted before it is parsed: 256 KiB of short keys take 30 ms. Files have their own budget, for two at once.
  if (kind === 'json') limitCostly(deps, caller, Math.floor(bytes.length / smallBodyBytes))
  return read(bytes, req.headers['content-type'])
}

/** Whether a request says that it has a body. */
export const isAnnounced = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** What body-parser's own errors mean in the catalogue; null for one that is not the caller's fault. `accepted`: what is said of another type. */
export function bodyRefusal(error: unknown, accepted: string | null): Refusal | null {
  const { type, status } = error as { type?: string; status?: number }
  if (type === 'entity.too.large') return refuse('PAYLOAD_TOO_LARGE')
  if (type === 'encoding.unsupported' || status === 415)
    return refuse('UNSUPPORTED_MEDIA_TYPE', accepted === null ? {} : { message: accepted })
  return isBrokenOff(error) ? brokenOff() : null
}

const isBrokenOff = (error: unknown): boolean =>
  /^request\.(aborted|size\.invalid)$/.test(String((error as { type?: string }).type))

export const brokenOff = () => refuse('INVALID_JSON', { message: 'The body ended before it was complete.' })

function createKind(largest: number, read: Reader, accepted: string | null) {
  return {
    largest,
    read,
    accepted,
    readRaw: readUpTo(largest),
  }
}

function readUpTo(largest: number) {
  return express.raw({ type: () => true, limit: largest, inflate: false })
}
