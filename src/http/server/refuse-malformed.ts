import type { IncomingMessage } from 'node:http'
import { refuse } from '../../errors.ts'

/**
 * Rejects requests that Node.js accepts although RFC 9112 forbids them: those with an unsupported HTTP version, a
 * missing, repeated or malformed Host header, or an unsupported transfer coding. Also rejects an unsupported Expect.
 */
export function refuseMalformed(req: IncomingMessage): void {
  if (req.httpVersionMajor !== 1) throw unsound('HTTP version', 'The service supports only HTTP/1.1 and HTTP/1.0.')
  const hosts = req.headersDistinct.host?.length ?? 0
  if (hosts > 1 || (hosts === 0 && req.httpVersion === '1.1'))
    throw unsound('Host', 'Send the Host header exactly once.')
  if (!hostForm.test(req.headers.host ?? ''))
    throw unsound('Host', 'The Host header must contain a host name or an IP address.')
  if (!/^100-continue$/i.test(req.headers.expect ?? '100-continue'))
    throw unsound('Expect', 'The service does not support this Expect header. Send 100-continue, or no Expect header.')
  const coding = req.headers['transfer-encoding']
  // An HTTP/1.0 proxy does not understand chunked encoding, so it would see the request end in a different place.
  if (coding !== undefined && req.httpVersion === '1.0')
    throw unsound('Transfer-Encoding', 'HTTP/1.0 has no Transfer-Encoding.')
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    throw unsound('Transfer-Encoding', 'The service supports only the transfer coding chunked.')
}

/** Matches the characters that a host and port may contain (RFC 3986, sections 3.2.2 and 3.2.3). */
const hostForm = /^[\w.~%!$&'()*+,;=:[\]-]*$/

const unsound = (param: string, message: string) =>
  refuse('VALIDATION_ERROR', { param, message, headers: { Connection: 'close' } })
