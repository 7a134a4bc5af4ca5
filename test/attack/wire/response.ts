type Head = { status: number; headers: ReadonlyMap<string, string>; cookies: readonly string[] }
export type WireResponse = Head & { body: string; beyond: number }
type Found = { response: WireResponse; end: number }
type Body = { text: string; end: number }

export function parsed({ body }: Pick<WireResponse, 'body'>): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

export function readResponse(bytes: Buffer, isHead: boolean, hasEnded: boolean): Found | null {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1] ?? 0)
  const begin = headEnd + 4
  if (status >= 100 && status < 200) {
    const next = readResponse(bytes.subarray(begin), isHead, hasEnded)
    return next === null ? null : { response: next.response, end: begin + next.end }
  }
  const pairs = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
  })
  const headers = new Map(pairs)
  const cookies = pairs.filter(([name]) => name === 'set-cookie').map(([, value]) => value)
  const hasNoBody = isHead || status === 204 || status === 304
  const body = hasNoBody ? { text: '', end: begin } : readBody(bytes, begin, headers, hasEnded)
  if (body === null) return null
  const beyond = bytes.length - body.end
  return { response: { status, headers, cookies, body: body.text, beyond }, end: body.end }
}

function readBody(bytes: Buffer, begin: number, headers: Head['headers'], hasEnded: boolean): Body | null {
  if (headers.get('transfer-encoding') === 'chunked') return readChunks(bytes, begin)
  const length = headers.get('content-length')
  if (length === undefined && !hasEnded) return null
  if (length === undefined) return { text: bytes.toString('utf8', begin), end: bytes.length }
  const end = begin + Number(length)
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
