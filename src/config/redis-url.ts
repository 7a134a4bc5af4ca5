import { orNull } from '../platform/or-null.ts'
import { parseUrl } from '../platform/url.ts'

type RedisServers =
  | { kind: 'single'; tls: boolean }
  | ({ kind: 'sentinel'; name: string; db: number } & Nodes &
      Record<'sentinelUsername' | 'sentinelPassword', string | undefined>)
  /** The driver discovers nodes that aren't listed. */
  | ({ kind: 'cluster' } & Nodes)

interface Nodes {
  tls: boolean
  nodes: { host: string; port: number }[]
  username: string | undefined
  password: string | undefined
}

const defaultPort = { sentinel: 26_379, cluster: 6379 }

/** `URL` can't parse the host lists that Sentinel and Cluster need. */
export function parseRedisUrl(text: string): RedisServers | null {
  const [, secure, kind, userInfo, hosts = '', path = '', query = ''] =
    /^redis(s?)\+(sentinel|cluster):\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^/?#]*))?(?:\?([^#]*))?$/.exec(
      text,
    ) ?? []
  if (kind !== 'sentinel' && kind !== 'cluster') return parseSingle(text)
  const nodes = hosts.split(',').map((host) => parseNode(host, defaultPort[kind]))
  const login = parseLogin(userInfo)
  const name = decoded(path)
  const options = new URLSearchParams(query)
  if (login === null || name === null || !nodes.every((node) => node !== null)) return null
  const all = { tls: secure === 's', nodes, ...login }
  if (kind === 'cluster') return name === '' && query === '' ? { kind, ...all } : null
  const { db = '0', sentinelUsername, sentinelPassword, ...unknown } = Object.fromEntries(options)
  if (name === '' || !/^\d{1,4}$/.test(db) || Object.keys(unknown).length > 0) return null
  return { kind, ...all, name, db: Number(db), sentinelUsername, sentinelPassword }
}

function parseSingle(text: string): RedisServers | null {
  const url = parseUrl(text)
  const isValid =
    url !== null && /^rediss?:$/.test(url.protocol) && url.hostname !== '' && /^(\/\d*)?$/.test(url.pathname)
  return isValid ? { kind: 'single', tls: url.protocol === 'rediss:' } : null
}

function parseNode(text: string, fallbackPort: number): Nodes['nodes'][number] | null {
  const url = parseUrl(`redis://${text}`)
  if (url === null || url.hostname === '' || /[/?#@]/.test(text)) return null
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(url.port || fallbackPort) }
}

function parseLogin(userInfo = ''): Pick<Nodes, 'username' | 'password'> | null {
  const at = userInfo.indexOf(':')
  const username = decoded(at === -1 ? userInfo : userInfo.slice(0, at))
  const password = decoded(at === -1 ? '' : userInfo.slice(at + 1))
  if (username === null || password === null) return null
  return { username: username || undefined, password: password || undefined }
}

const decoded = (part: string) => orNull(() => decodeURIComponent(part))
