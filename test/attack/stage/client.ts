export type Call = (method: string, path: string, body?: object) => Promise<{ data: Record<string, unknown> }>

export function createClient(origin: string, key: string, name: string): Call {
  let calls = 0
  return async (method, path, body) => {
    calls += 1
    const typed = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` }
    const headers = { ...typed, 'X-Idempotency-Key': `${name}-${calls}` }
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const response = await fetch(`${origin}/api/v1/dev${path}`, init)
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return JSON.parse(text) as { data: Record<string, unknown> }
  }
}
