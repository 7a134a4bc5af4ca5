import { mongo } from 'mongoose'
import { orNull } from '../platform/or-null.ts'

/** Creating a client opens no connection. */
const optionsOf = (url: string) =>
  orNull(() => new mongo.MongoClient(url, { readPreference: 'primary' }).options)

export function isMongoUrl(text: string): boolean {
  const { hosts = [], srvHost } = optionsOf(text) ?? {}
  return hosts.length > 0 || srvHost !== undefined
}

/** `test` is the driver's default, so even that name must be in the URL. */
export function hasDatabaseName(text: string): boolean {
  const { dbName = '' } = optionsOf(text) ?? {}
  const isOwn = /^[^\s/\\."$*<>:|?\0]+$/.test(dbName) && !['admin', 'config', 'local'].includes(dbName)
  return isOwn && (dbName !== 'test' || /\/test(?:\?|$)/.test(text))
}

/** An invalid URL is reported separately. */
export function usesMongoTls(text: string): boolean {
  const options = optionsOf(text)
  return options === null || options.tls
}

/** Other values would weaken the guarantees in architecture.md. */
const strongEnough: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    w: ['majority'],
    writeconcern: ['majority'],
    journal: ['true'],
    j: ['true'],
    fsync: ['true'],
    readconcern: ['majority', 'linearizable'],
    readconcernlevel: ['majority', 'linearizable'],
    readpreference: ['primary'],
    // These make the driver read from a secondary, so no value is safe.
    readpreferencetags: [],
    maxstalenessseconds: [],
  }),
)

export function findWeakOptions(url: string): string[] {
  if (!url.includes('?')) return []
  const options = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  const weakening = [...options]
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name, value]) => strongEnough.get(name)?.includes(value) === false)
  return [...new Set(weakening.map(([name]) => name))]
}
