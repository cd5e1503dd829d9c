package jsonmsgpack

// status is how a run of the state machine ended.
type status uint8

const (
	statDone status = iota // a document is whole
	statMore               // the input ended in the middle of one
	statBad                // Converter.bad says what is wrong
)

// place is where the state machine stands between two tokens.
type place uint8

const (
	placeValue      place = iota // a value must follow
	placeFirstValue              // a value or the end of the array
	placeKey                     // a key
	placeFirstKey                // a key or the end of the object
	placeColon                   // a colon
	placeNext                    // a comma or the end of the container
)

// room is how many bytes of output one token may write without looking: a
// string of 31 bytes stored in words behind its header, or a number.
const room = 64
