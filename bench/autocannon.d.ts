/** Only what bench/load.ts uses. The package has no types. */
declare module 'autocannon' {
  export interface Options {
    url: string
    connections: number
    duration: number
    method: string
    headers: Record<string, string>
    body: string
    idReplacement: boolean
    requests: { headers: Record<string, string> }[]
  }

  export interface Result {
    duration: number
    '2xx': number
    non2xx: number
    errors: number
    timeouts: number
    latency: { p50: number; p99: number }
  }

  export default function autocannon(options: Options): Promise<Result>
}
