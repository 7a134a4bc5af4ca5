/** A response as it was received. */
export interface Answer {
  status: number
  /** By lower-case names. The last one of each name. */
  headers: ReadonlyMap<string, string>
  cookies: readonly string[]
  body: string
  /** Bytes behind it that belong to no response. */
  beyond: number
}

/** The parsed body, or undefined if it is not JSON. */
export function parsed({ body }: Pick<Answer, 'body'>): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** The first response in some bytes, and its end. Null while it is incomplete. A response to HEAD has no body, whatever its length says. */
export function readAnswer(
  bytes: Buffer,
  isHead: boolean,
  hasEnded: boolean,
): { answer: Answer; end: number } | null {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1] ?? 0)
  const begin = headEnd + 4
  if (status >= 100 && status < 200) {
    const next = readAnswer(bytes.subarray(begin), isHead, hasEnded)
    return next === null ? null : { answer: next.answer, end: begin + next.end }
  }
  const pairs = lines.map(
    (line) =>
      [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()] as const,
  )
  const headers = new Map(pairs)
  const cookies = pairs.filter(([name]) => name === 'set-cookie').map(([, value]) => value)
  const body =
    isHead || status === 204 || status === 304
      ? { text: '', end: begin }
      : readBody(bytes, begin, headers, hasEnded)
  if (body === null) return null
  const beyond = bytes.length - body.end
  return { answer: { status, headers, cookies, body: body.text, beyond }, end: body.end }
}

function readBody(
  bytes: Buffer,
  begin: number,
  headers: ReadonlyMap<string, string>,
  hasEnded: boolean,
): { text: string; end: number } | null {
  if (headers.get('transfer-encoding') === 'chunked') return readChunks(bytes, begin)
  const told = headers.get('content-length')
  if (told === undefined) return hasEnded ? { text: bytes.toString('utf8', begin), end: bytes.length } : null
  const end = begin + Number(told)
  // An invalid length is never reached.
  return bytes.length >= end ? { text: bytes.toString('utf8', begin, end), end } : null
}

function readChunks(bytes: Buffer, begin: number): { text: string; end: number } | null {
  const parts: Buffer[] = []
  for (let at = begin; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return null
    const length = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const next = lineEnd + 2 + length + 2
    if (!(bytes.length >= next)) return null
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + length))
    at = next
    if (length === 0) return { text: Buffer.concat(parts).toString('utf8'), end: at }
  }
}
