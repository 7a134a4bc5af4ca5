import { mongo } from 'mongoose'

/** Checks by creating a client, which opens no connection. */
export function isMongoUrl(text: string): boolean {
  try {
    const client = new mongo.MongoClient(text, { readPreference: 'primary' })
    return client.options.hosts.length > 0 || client.options.srvHost !== undefined
  } catch {
    return false
  }
}

/** `test` is the driver's default, so it counts only if the URL says so. MongoDB's own data is in the others. */
export function namesDatabase(text: string): boolean {
  const { dbName } = new mongo.MongoClient(text).options
  const isOwn = /^[^\s/\\."$*<>:|?\0]+$/.test(dbName) && !['admin', 'config', 'local'].includes(dbName)
  return isOwn && (dbName !== 'test' || /\/test(?:\?|$)/.test(text))
}

/** Also true for an invalid URL, which is reported separately. */
export function usesTls(text: string): boolean {
  try {
    return new mongo.MongoClient(text).options.tls
  } catch {
    return true
  }
}

/** URL options that could weaken our guarantees, with their safe values. */
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

/** Returns the URL's options that weaken the guarantees in docs/maintainers/architecture.md. */
export function weakeningOptions(url: string): string[] {
  if (!url.includes('?')) return []
  const options = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  const weakening = [...options]
    .map(([name, value]) => ({ option: name.toLowerCase(), value }))
    .filter(({ option, value }) => strongEnough.get(option)?.includes(value) === false)
  return [...new Set(weakening.map(({ option }) => option))]
}
