import type { Request, Response } from 'express'
import express from 'express'
import type { Caller } from '../../businesses/caller.ts'
import { type BodyFormat, type BodyMemory, smallBodyMemory, uncountedBytes } from '../../limits/memory.ts'
import type { Deps } from '../../platform/deps.ts'
import { type Refusal, refuse } from '../../platform/errors.ts'
import { limitCostlyCall } from '../operations/limit-rate.ts'
import { csvTypeMessage, readCsvBody } from './csv-body.ts'
import { type ParsedBody, readJsonBody } from './json-body.ts'

export const maxBodyBytes = {
  // A valid intent takes up to 510 KB if every character is escaped.
  json: 512 * 1024,
  // Enough for 5 000 rows of 1 600 bytes.
  csv: 8 * 1024 * 1024,
} as const satisfies Record<BodyFormat, number>

const readUpTo = (limit: number) => express.raw({ type: () => true, limit, inflate: false })

const kinds = {
  json: { read: readJsonBody, accepted: null, readRaw: readUpTo(maxBodyBytes.json) },
  csv: { read: readCsvBody, accepted: csvTypeMessage, readRaw: readUpTo(maxBodyBytes.csv) },
} satisfies Record<BodyFormat, unknown>

const readSmall = readUpTo(uncountedBytes)

type LimitDeps = Pick<Deps, 'memory' | 'rateLimits'>

/** A chunked body reserves the maximum. It must be small if that isn't free. */
export function reserveBody(
  deps: LimitDeps,
  { businessId }: Caller,
  req: Request,
  kind: BodyFormat,
): BodyMemory {
  const largest = maxBodyBytes[kind]
  const isChunked = req.headers['transfer-encoding'] !== undefined
  const bytes = isChunked ? largest : Number(req.headers['content-length'] ?? 0)
  // A body over the limit isn't read, so it needs no memory.
  if (bytes <= uncountedBytes || bytes > largest) return smallBodyMemory
  const memory = deps.memory.body(businessId, kind, bytes)
  if (memory === null && !isChunked) throw deps.memory.bodyRefusal(businessId, kind, bytes)
  return memory ?? smallBodyMemory
}

/** After an error, the request has no effect. */
export async function readBody(
  deps: LimitDeps,
  caller: Caller,
  req: Request,
  res: Response,
  kind: BodyFormat,
  memory: BodyMemory,
): Promise<ParsedBody> {
  const { readRaw, read, accepted } = kinds[kind]
  const largest = maxBodyBytes[kind]
  // The parser would read the whole body before refusing it.
  if (Number(req.headers['content-length']) > largest)
    return { refusal: refuse('PAYLOAD_TOO_LARGE', { headers: { Connection: 'close' } }) }
  // bare-app.ts refuses all other Expect headers.
  if (req.headers.expect !== undefined) res.writeContinue()
  const refusal = await new Promise<Refusal | null>((resolve, reject) => {
    const readBounded = memory.isLarge ? readRaw : readSmall
    readBounded(req, res, (error: unknown) => {
      if (error === undefined || error === null) return resolve(null)
      const known = isTruncated(error) ? null : toBodyRefusal(error, accepted)
      if (known === null) reject(error)
      else resolve(known)
    })
  })
  if (refusal?.code === 'PAYLOAD_TOO_LARGE' && !memory.isLarge)
    throw deps.memory.bodyRefusal(caller.businessId, kind, largest)
  if (refusal !== null) return { refusal }
  // If the client has disconnected, the parser skips even a complete body.
  const isSkipped = hasBody(req) && !Buffer.isBuffer(req.body)
  if (!req.complete || isSkipped) throw refuseTruncated()
  const bytes = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0)
  memory.keep(bytes.length)
  // The request object lives until the next request on its connection.
  req.body = undefined
  // Parsing 512 KiB of short JSON keys takes 60 ms.
  if (kind === 'json') limitCostlyCall(deps, caller, Math.floor(bytes.length / uncountedBytes))
  return read(bytes, req.headers['content-type'])
}

export const hasBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Returns null if the client didn't cause the error. */
export function toBodyRefusal(error: unknown, accepted: string | null): Refusal | null {
  const { type, status } = error as { type?: string; status?: number }
  if (type === 'entity.too.large') return refuse('PAYLOAD_TOO_LARGE')
  if (type === 'encoding.unsupported' || status === 415)
    return refuse('UNSUPPORTED_MEDIA_TYPE', accepted === null ? {} : { message: accepted })
  return isTruncated(error) ? refuseTruncated() : null
}

const isTruncated = (error: unknown): boolean =>
  /^request\.(aborted|size\.invalid)$/.test(String((error as { type?: string }).type))

export const refuseTruncated = () =>
  refuse('INVALID_JSON', { message: 'The body ended before it was complete.' })
