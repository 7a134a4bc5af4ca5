import { mongo } from 'mongoose'

/** Whether the driver can parse the URL. The check creates a client but opens no connection. */
export function isMongoUrl(text: string): boolean {
  try {
    const client = new mongo.MongoClient(text, { readPreference: 'primary' })
    return client.options.hosts.length > 0 || client.options.srvHost !== undefined
  } catch {
    return false
  }
}

/**
 * Whether the URL names a database of ours. Without a name, the driver would use `test`. A URL often ends in `admin`
 * because that is where its user is known, but MongoDB keeps its own data there.
 */
export function namesDatabase(text: string): boolean {
  const { dbName } = new mongo.MongoClient(text).options
  const isOwn = /^[^\s/\\."$*<>:|?\0]+$/.test(dbName) && !['admin', 'config', 'local'].includes(dbName)
  return isOwn && (dbName !== 'test' || /\/test(?:\?|$)/.test(text))
}

/**
 * Returns whether connections to this MongoDB use TLS. Returns true for an invalid URL, which is a fault of its own.
 */
export function usesTls(text: string): boolean {
  try {
    return new mongo.MongoClient(text).options.tls
  } catch {
    return true
  }
}

/** The MongoDB URL options that could weaken the service's guarantees, and the safe values of each option. */
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
    // These options make the driver read from a secondary, so no value is safe.
    readpreferencetags: [],
    maxstalenessseconds: [],
  }),
)

/** Returns the options in a MongoDB URL that weaken the service's guarantees (docs/maintainers/architecture.md). */
export function weakeningOptions(url: string): string[] {
  if (!url.includes('?')) return []
  const options = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  const weakening = [...options]
    .map(([name, value]) => ({ option: name.toLowerCase(), value }))
    .filter(({ option, value }) => strongEnough.get(option)?.includes(value) === false)
  return [...new Set(weakening.map(({ option }) => option))]
}
