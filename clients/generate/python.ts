import numbered from '../version.json' with { type: 'json' }
import {
  type Endpoint,
  endpoints,
  eventNames,
  eventSchemas,
  type Field,
  nameOf,
  resolved,
  type Schema,
  withoutNull,
  wrap,
} from './endpoints.ts'

const marked =
  '# Generated from the OpenAPI document by `npm run client`.\nfrom __future__ import annotations\n'
const primitives: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}
const keywords =
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  )

/** `Optional` and the like instead of `|`, so that Python 3.9 can evaluate the types, too. */
function createTypes() {
  const classes = new Map<string, string>()
  const names = new Map<string, string>()

  function typeOf(schema: Schema, name: string): string {
    if (schema.$ref) {
      const own = nameOf(schema.$ref)
      return classes.has(own) ? own : typeOfObject(resolved(schema), own)
    }
    const [plain, isNullable] = withoutNull(schema)
    const type = plainTypeOf(plain, name)
    return isNullable ? `Optional[${type}]` : type
  }

  function plainTypeOf(schema: Schema, name: string): string {
    if (schema.$ref) return typeOf(schema, name)
    const values = schema.enum ?? ('const' in schema ? [schema.const] : undefined)
    if (String(values) === String(eventNames)) return 'EventName'
    if (values) return `Literal[${values.map(literalOf).join(', ')}]`
    const options = schema.oneOf ?? schema.anyOf
    if (options) return unionOf(options.map((each, at) => typeOf(each, `${name}${at + 1}`)))
    const [type = '', ...others] = [schema.type ?? []].flat()
    if (others.length > 0) return unionOf([type, ...others].map((each) => primitives[each] ?? 'Any'))
    if (type === 'array') return `List[${typeOf(schema.items ?? {}, `${name}Item`)}]`
    return type === 'object' ? typeOfObject(schema, name) : (primitives[type] ?? 'Any')
  }

  function typeOfObject(
    { properties, required = [], additionalProperties: rest }: Schema,
    name: string,
  ): string {
    if (!properties) return `Dict[str, ${typeof rest === 'object' ? typeOf(rest, name) : 'Any'}]`
    const shape = JSON.stringify(properties)
    const known = names.get(shape)
    if (known !== undefined) return known
    names.set(shape, name)
    classes.set(name, '')
    const fields = Object.entries(properties).map(([field, schema]) => {
      const type = typeOf(schema, name + pascal(field))
      return { field, type, description: schema.description, isRequired: required.includes(field) }
    })
    const parts = [true, false].map((isRequired) => fields.filter((each) => each.isRequired === isRequired))
    const [always = [], sometimes = []] = parts
    const text =
      sometimes.length === 0
        ? classOf(name, 'TypedDict', always)
        : always.length === 0
          ? classOf(name, 'TypedDict, total=False', sometimes)
          : `${classOf(`_${name}`, 'TypedDict', always)}\n\n${classOf(name, `_${name}, total=False`, sometimes)}`
    classes.set(name, text)
    return name
  }
  return { typeOf, classes }
}

function classOf(
  name: string,
  base: string,
  fields: { field: string; type: string; description?: string | undefined }[],
) {
  if (fields.some(({ field }) => keywords.includes(field))) {
    if (base !== 'TypedDict') throw new Error(`${name} has an optional field that is a keyword`)
    const rows = fields.map(({ field, type }) => `        "${field}": "${type.replaceAll('"', "'")}",\n`)
    return `${name} = TypedDict(\n    "${name}",\n    {\n${rows.join('')}    },\n)\n`
  }
  const rows = fields.map(({ field, type, description = '' }) => {
    const comment = wrap(description, 110).map((line) => `    #: ${line}\n`)
    return `${comment.join('')}    ${field}: ${type}\n`
  })
  return `class ${name}(${base}):\n${rows.join('')}`
}

const unionOf = (types: string[]): string => {
  const distinct = [...new Set(types)]
  return distinct.length === 1 ? (distinct[0] ?? 'Any') : `Union[${distinct.join(', ')}]`
}
const literalOf = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value)
const pascal = (name: string): string => name.replaceAll(/(?:^|_)(\w)/g, (_, first) => first.toUpperCase())
const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const argumentOf = (name: string): string => snake(name) + (keywords.includes(name) ? '_' : '')

export function pythonFiles(): Record<string, string> {
  const { typeOf, classes } = createTypes()
  const event = `Union[${eventSchemas.map((each) => `"${typeOf(each, '')}"`).join(', ')}]`
  const methods = endpoints.map((endpoint) => methodOf(endpoint, typeOf))
  const lists = endpoints.filter(({ item }) => item !== undefined)
  const overloads = lists.map((endpoint) => overloadOf(endpoint, typeOf))
  const names = [...classes.keys()].toSorted()
  const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test([...methods, ...overloads].join('')))
  const types = [
    `${marked}\nfrom typing import Any, Dict, List, Literal, Optional, TypedDict, Union\n`,
    `EventName = Literal[${eventNames.map(literalOf).join(', ')}]\n`,
    `#: The body of a webhook. Compare \`event\` to find out which event it is.\nWebhookEvent = ${event}\n`,
    ...names.map((name) => `\n${classes.get(name)}`),
  ]
  const operations = [
    `${marked}\nfrom typing import Any, BinaryIO, Dict, Iterator, List, Literal, Mapping, NamedTuple, Optional, Tuple, Union, overload\n`,
    `from .types import (\n${['EventName', ...used].map((name) => `    ${name},\n`).join('')})\n`,
    `VERSION = "${numbered.version}"\n#: The value of an argument that is not sent. None is sent as null.\nOMITTED: Any = ...\n\n`,
    'class Operation(NamedTuple):\n    method: str\n    path: str\n    query: Tuple[str, ...] = ()\n    has_body: bool = False\n    is_file: bool = False\n\n',
    `OPERATIONS: Dict[str, Operation] = {\n${endpoints.map(rowOf).join('')}}\n`,
    `LISTS = (${lists.map(({ id }) => `"${snake(id)}"`).join(', ')})\n\n`,
    `class Operations:\n${methods.join('\n')}\n${overloads.join('\n')}`,
    '    def list_all(self, operation: str, **fields: Any) -> Iterator[Any]:',
    '        """Iterates over all items of a list, newest first, and reads each page when it is needed.\n\n        If you change items so that they leave the list, collect all of them first.\n        """',
    '        return self._list_all(operation, fields)\n',
    '    def _call(self, operation: str, fields: Mapping[str, Any], timeout: Optional[float], max_retries: Optional[float], idempotency_key: Optional[str] = None) -> Any:\n        raise NotImplementedError\n',
    '    def _list_all(self, operation: str, fields: Mapping[str, Any]) -> Iterator[Any]:\n        raise NotImplementedError\n',
  ]
  const folder = 'clients/python/payment_intents_mru'
  return { [`${folder}/types.py`]: types.join('\n'), [`${folder}/_generated.py`]: operations.join('\n') }
}

function rowOf({ id, method, path, fields, hasBody, isFile }: Endpoint): string {
  const query = fields.filter((each) => each.in === 'query').map(({ name }) => `"${name}",`)
  const more = [
    ...(query.length > 0 ? [`query=(${query.join(' ')})`] : []),
    ...(hasBody ? ['has_body=True'] : []),
    ...(isFile ? ['is_file=True'] : []),
  ]
  return `    "${id}": Operation(${[`"${method}"`, `"${path}"`, ...more].join(', ')}),\n`
}

type TypeOf = ReturnType<typeof createTypes>['typeOf']

function parameterOf(id: string, { name, schema, required }: Field, typeOf: TypeOf): string {
  const isSwitch = String(schema.enum) === 'true,false'
  const type = isSwitch ? 'bool' : typeOf(schema, pascal(id) + pascal(name))
  return `${argumentOf(name)}: ${type}${required ? '' : ' = OMITTED'}`
}

const options = ['timeout: Optional[float] = None', 'max_retries: Optional[float] = None']
const lines = (indent: string, texts: string[]): string => texts.map((text) => `${indent}${text},\n`).join('')

function methodOf(endpoint: Endpoint, typeOf: TypeOf): string {
  const { id, method, fields, data, text } = endpoint
  const own = fields.filter((each) => each.in === 'path').map((each) => parameterOf(id, each, typeOf))
  const named = fields.filter((each) => each.in !== 'path').map((each) => parameterOf(id, each, typeOf))
  const isWrite = method !== 'GET'
  const all = [
    ...own,
    '*',
    ...named,
    ...(isWrite ? ['idempotency_key: Optional[str] = None'] : []),
    ...options,
  ]
  const result = data ? typeOf(data, `${pascal(id)}Result`) : 'BinaryIO'
  const parameters = fields.flatMap(({ name, description }) =>
    description ? wrap(`:param ${argumentOf(name)}: ${description}`, 104) : [],
  )
  const [summary = '', ...rest] = text
  const paragraphs = rest.map((each) =>
    wrap(each, 104)
      .map((line) => `        ${line}\n`)
      .join(''),
  )
  const described = [...paragraphs, parameters.map((line) => `        ${line}\n`).join('')].filter(Boolean)
  return [
    `    def ${snake(id)}(\n        self,\n${lines('        ', all)}    ) -> ${result}:`,
    `        """${summary}\n\n${described.join('\n').replaceAll('\\', '\\\\')}        """`,
    `        fields: Dict[str, Any] = {${fields.map(({ name }) => `"${name}": ${argumentOf(name)}`).join(', ')}}`,
    `        result: ${result} = self._call("${id}", fields, timeout, max_retries${isWrite ? ', idempotency_key' : ''})`,
    '        return result\n',
  ].join('\n')
}

function overloadOf({ id, fields, item }: Endpoint, typeOf: TypeOf): string {
  const named = fields.filter(({ name }) => name !== 'page').map((each) => parameterOf(id, each, typeOf))
  const all = ['self', `operation: Literal["${snake(id)}"]`, '*', ...named, ...options]
  return `    @overload\n    def list_all(\n${lines('        ', all)}    ) -> Iterator[${typeOf(item ?? {}, `${pascal(id)}ResultItemsItem`)}]: ...\n`
}
