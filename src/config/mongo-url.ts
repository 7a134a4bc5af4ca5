import { mongo } from 'mongoose'

/** Whether the driver can read it; making a client connects to nothing. */
export function isMongoUrl(text: string): boolean {
  try {
    const client = new mongo.MongoClient(text, { readPreference: 'primary' })
    return client.options.hosts.length > 0 || client.options.srvHost !== undefined
  } catch {
    return false
  }
}

/** The options of a MongoDB URL by which one could ask for less, with all that they may be. */
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
    // They say which of the secondaries.
    readpreferencetags: [],
    maxstalenessseconds: [],
  }),
)

/** The options of a MongoDB URL that ask for less than the service promises (docs/maintainers/architecture.md), each once. */
export function weakerThanPromised(url: string): string[] {
  if (!url.includes('?')) return []
  const options = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  const weaker = [...options]
    .map(([name, value]) => ({ option: name.toLowerCase(), value }))
    .filter(({ option, value }) => strongEnough.get(option)?.includes(value) === false)
  return [...new Set(weaker.map(({ option }) => option))]
}
