package work

// TutorOf is the SQL that finds who answers the student of project p for
// definition d, for statements of other packages that ask it of many at once.
const TutorOf = tutorOf
