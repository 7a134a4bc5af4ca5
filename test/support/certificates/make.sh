#!/bin/sh
# Makes the certificates of the servers in tests. They name no real host and secure nothing.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/index.txt"
cat > "$work/ca.cnf" <<CNF
[ca]
default_ca = test
[test]
database = $work/index.txt
new_certs_dir = $work
rand_serial = yes
unique_subject = no
certificate = authority.pem
private_key = $work/authority.key
default_md = sha256
policy = any
[any]
commonName = supplied
[authority]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign
[endpoint]
basicConstraints = CA:FALSE
subjectAltName = DNS:hooks.example.com
[server]
subjectAltName = IP:127.0.0.1
CNF

# sign NAME KEY SUBJECT EXTENSIONS NOT-BEFORE NOT-AFTER [-selfsign -keyfile KEY]
sign() {
  name=$1 subject=$3 extensions=$4 from=$5 to=$6
  openssl ecparam -name prime256v1 -genkey -noout -out "$2"
  openssl req -new -key "$2" -subj "/CN=$subject" -out "$work/request"
  shift 6
  openssl ca -batch -notext -config "$work/ca.cnf" -extensions "$extensions" -startdate "$from" -enddate "$to" \
    -in "$work/request" -out "$name.pem" "$@"
}
sign authority "$work/authority.key" 'Test authority' authority 20200101000000Z 21200101000000Z -selfsign
sign endpoint endpoint.key hooks.example.com endpoint 20200101000000Z 21200101000000Z
sign expired expired.key hooks.example.com endpoint 20200101000000Z 20210101000000Z
sign not-yet-valid not-yet-valid.key hooks.example.com endpoint 21190101000000Z 21200101000000Z
sign self-signed self-signed.key hooks.example.com endpoint 20200101000000Z 21200101000000Z -selfsign -keyfile self-signed.key
# For Redis and MongoDB at 127.0.0.1, which read the certificate and the key from one file.
sign server server.key server server 20200101000000Z 21200101000000Z -selfsign -keyfile server.key
cat server.key >> server.pem
rm server.key
