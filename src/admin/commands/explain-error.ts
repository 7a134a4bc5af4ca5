import mongoose from 'mongoose'
import { plainText } from './text.ts'

const { MongoNetworkError, MongoServerSelectionError, MongoServerError } = mongoose.mongo

/** MongoDB's codes for a wrong user name or password, and for a query that ran for too long. */
const authenticationFailed = 18
const maxTimeExpired = 50

/** Returns the sentence that a failed command prints. It never contains a password from MONGODB_URL. */
export function explainError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const detail = plainText(message.replaceAll(/\/\/[^\s/]*@/g, '//').trim())
  if (error instanceof mongoose.Error.MongooseServerSelectionError || error instanceof MongoServerSelectionError) {
    const hosts = hostsOf(error as TopologyError)
    return `MongoDB cannot be reached${hosts === '' ? '' : ` at ${hosts}`} (MONGODB_URL): ${detail}. Check that it is running and accepts connections from this machine.`
  }
  if (error instanceof MongoNetworkError)
    return `The connection to MongoDB was lost: ${detail}. The command may have taken effect. Check its result before you run it again.`
  if (error instanceof MongoServerError && error.code === authenticationFailed)
    return 'MongoDB rejected the user name or the password in MONGODB_URL.'
  if (error instanceof MongoServerError && error.code === maxTimeExpired)
    return 'MongoDB took too long. Narrow the search down with more options.'
  return detail
}

/** An error with the state of every server, by address. */
interface TopologyError {
  reason?: { servers?: unknown }
}

/** Returns the addresses that the driver tried, such as `127.0.0.1:27017`. */
function hostsOf({ reason }: TopologyError): string {
  const servers = reason?.servers
  return servers instanceof Map ? [...servers.keys()].join(', ') : ''
}
