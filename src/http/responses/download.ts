import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Request, Response } from 'express'
import type { Deadline } from '../server/timeouts.ts'
import { setApiHeaders } from './envelope.ts'

/** Generated while it is being sent. No piece may be an empty string. */
export interface Download {
  /** Includes the charset. */
  contentType: string
  fileName: string
  pieces: AsyncGenerator<string, void, undefined>
}

/** Its first piece is ready. Errors before that point can still be sent in the envelope. */
export interface StartedDownload extends Download {
  first: string
}

/** Waits for the first piece, but not beyond the deadline. */
export async function startDownload(file: Download, deadline: Deadline): Promise<StartedDownload> {
  try {
    const { value } = await deadline.run(() => file.pieces.next())
    return { ...file, first: value ?? '' }
  } catch (error) {
    end(file)
    throw error
  }
}

/**
 * Sends a file as fast as the client reads it. If this throws, the caller must destroy the connection: closed normally,
 * it would make the file look complete.
 */
export async function sendDownload(req: Request, res: Response, file: StartedDownload): Promise<void> {
  res.locals.code = null
  setFileHeaders(res, file)
  setApiHeaders(res)
  if (res.app.locals.stopping.aborted) res.setHeader('Connection', 'close')
  if (req.method === 'HEAD') {
    end(file)
    res.end()
    return
  }
  // The pipeline adds several listeners, and Node.js warns of more than 10.
  res.setMaxListeners(20)
  try {
    // Otherwise, the stream reads 16 pieces ahead of a slow client.
    await pipeline(Readable.from(withFirst(file), { highWaterMark: 1 }), res)
  } catch (error) {
    if (!isGone(error)) throw error
    // The client disconnected before or during the download, or read too slowly (src/http/server/connection.ts). That's
    // why the log line has no status.
  } finally {
    end(file)
  }
}

const isGone = (error: unknown): boolean =>
  /^ERR_STREAM_(PREMATURE_CLOSE|UNABLE_TO_PIPE)$/.test((error as { code?: string }).code ?? '')

export const csvType = 'text/csv; charset=utf-8'

export interface CsvFile {
  name: string
  text: string
}

/** Without a preference, the response is JSON. */
export const prefersCsv = (req: Request): boolean =>
  req.accepts(['application/json', 'text/csv']) === 'text/csv'

export function setFileHeaders(
  res: Response,
  { contentType, fileName }: Pick<Download, 'contentType' | 'fileName'>,
): void {
  res.setHeader('Content-Type', contentType)
  res.setHeader('Content-Disposition', `attachment; filename="${fileName}"`)
}

async function* withFirst({ first, pieces }: StartedDownload): AsyncGenerator<string, void, undefined> {
  yield first
  yield* pieces
}

/** Closes the generator of the pieces. Its errors have been thrown already or no longer matter. */
const end = ({ pieces }: Download): void => void pieces.return().catch(() => undefined)
